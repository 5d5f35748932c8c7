// A page of a shop with a chat window in it, from a package. Its visitor is told what to do line by line.
import { createInterface } from "node:readline";
import { JSDOM } from "jsdom";
import { answers, note, redirected } from "./redirect.mjs";

const [module, agentId, kept] = process.argv.slice(2);
const { window } = new JSDOM("<!doctype html>", { url: "http://shop.example/", pretendToBeVisual: true });
for (const [name, value] of Object.entries(JSON.parse(kept))) window.localStorage.setItem(name, value);

// What a browser has and this one has not: nothing is laid out here.
class Unobserved {
  observe() {}
  unobserve() {}
  disconnect() {}
}
Object.assign(window, { ResizeObserver: Unobserved, IntersectionObserver: Unobserved });
Object.assign(window.Element.prototype, { scrollTo() {}, scrollIntoView() {} });
window.matchMedia = () => ({ matches: false, addListener() {}, removeListener() {} });

/** Requests of the page, which like those of a browser say where it is from and need leave to be read. */
const send = globalThis.fetch;
window.fetch = async (address, options = {}) => {
  const from = { origin: window.origin };
  const response = await send(address, { ...options, headers: { ...options.headers, ...from } });
  if (response.headers.get("access-control-allow-origin") !== window.origin) throw new TypeError("CORS");
  return response;
};
window.XMLHttpRequest = class extends window.XMLHttpRequest {
  open(method, address, ...more) {
    super.open(method, redirected(address), ...more);
    this.asked = [method, address, "application/json"];
  }
  send(body) {
    this.addEventListener("loadend", () => note(...this.asked, body, this.status));
    super.send(body);
  }
};

// The package expects the names of a browser to be global.
const replaced = ["fetch", "Event", "navigator", "localStorage"];
for (const name of Object.getOwnPropertyNames(window))
  if (!(name in globalThis) || replaced.includes(name))
    Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true });
globalThis.console = new console.Console(process.stderr);

const { default: Chatbox } = await import(module);
await Chatbox.initStandard({ agentId });
const chat = window.document.body.lastElementChild.shadowRoot;

const answered = [];
answers.on("answer", (request) => answered.push(request));

const acts = {
  /** Wait until a text is shown. */
  see: (text) => until(() => shown().includes(text)),
  /** Wait until a request to a place was answered since this was last asked. */
  async hear(request) {
    await until(() => answered.some((each) => each.startsWith(request)));
    answered.length = 0;
  },
  /** Write a message and send it. */
  async say(text) {
    const input = await until(() => chat.querySelector("#chatbox-input"));
    Object.getOwnPropertyDescriptor(window.HTMLTextAreaElement.prototype, "value").set.call(input, text);
    input.dispatchEvent(new window.Event("input", { bubbles: true }));
    (await until(() => chat.querySelector("button[type=submit]:not([disabled])"))).click();
  },
  /** Press the last button with an icon. */
  async press(icon) {
    const found = await until(() => [...chat.querySelectorAll(`[data-testid=${icon}]`)].at(-1));
    found.closest("button").click();
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [act, ...words] = JSON.parse(line);
  await acts[act](...words);
  process.stdout.write(JSON.stringify({ shown: shown(), kept: { ...window.localStorage } }) + "\n");
}
process.exit(0);

function shown() {
  return [...chat.querySelectorAll("p, button")].map((each) => each.textContent).join("\n");
}

/** What a condition gives once it holds; looked at again whenever the page changes or an answer comes. */
function until(condition) {
  return new Promise((done) => {
    const look = () => {
      const found = condition();
      if (!found) return;
      changes.disconnect();
      answers.off("answer", look);
      done(found);
    };
    const changes = new window.MutationObserver(look);
    changes.observe(chat, { subtree: true, childList: true, characterData: true, attributes: true });
    answers.on("answer", look);
    look();
  });
}
