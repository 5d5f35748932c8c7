// Leads what a program sends to the hosted service to a server of ours, and notes each request with its status.
import { EventEmitter } from "node:events";
import { appendFileSync } from "node:fs";

/** Tells of each answer, as "METHOD path". */
export const answers = new EventEmitter();

const HOSTED = /^https:\/\/(api|app|m)\.(chatvolt|chaindesk)\.ai(?=\/|$)/;
const send = globalThis.fetch;

/** The same place on our server. */
export function redirected(address) {
  if (!HOSTED.test(address)) throw new Error(`${address} is not of the hosted service.`);
  return String(address).replace(HOSTED, process.env.SERVED_AT);
}

/** Write down a request and how it was answered. */
export function note(method, address, type, body, status) {
  const path = String(address).replace(HOSTED, "");
  const sent = typeof body === "string" ? body : null;
  appendFileSync(process.env.NOTED_IN, JSON.stringify({ method, path, type, body: sent, status }) + "\n");
  answers.emit("answer", `${method} ${path}`);
}

globalThis.fetch = async (address, options = {}) => {
  const response = await send(redirected(address), options);
  const type = new Headers(options.headers).get("content-type");
  note(options.method ?? "GET", address, type, options.body, response.status);
  return response;
};
