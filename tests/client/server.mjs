// A server over TLS that tells for each request which connection it came on, and by which protocol.
// A question is answered without an end; who else asks meanwhile waits until its asker has left.
// node server.mjs <certificate> <key> <h2 or http/1.1>
import { readFileSync } from "node:fs";
import http2 from "node:http2";
import https from "node:https";

const [certificate, key, protocol] = process.argv.slice(2);
const trust = { cert: readFileSync(certificate), key: readFileSync(key) };
const numbers = new Map();
let left = Promise.resolve();

function answer(request, response) {
  const line = request.httpVersion === "2.0" ? request.stream.session : request.socket;
  if (!numbers.has(line)) numbers.set(line, numbers.size + 1);
  request.resume();
  request.on("end", async () => {
    const seen = { version: request.httpVersion, connection: numbers.get(line), path: request.url };
    seen.key = request.headers.authorization ?? null;
    process.stdout.write(JSON.stringify(seen) + "\n");
    if (request.url.endsWith("/query")) {
      left = new Promise((leave) => response.on("close", leave));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("event: answer\ndata: Hel\n\n");
      return;
    }
    await left;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(request.url === "/" ? '{"name": "vivavoce"}' : "[]");
  });
}

const server =
  protocol === "h2" ? http2.createSecureServer({ ...trust, allowHTTP1: true }, answer) : https.createServer(trust, answer);
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on("end", () => process.exit(0)).resume();
