// A server over TLS that tells for each request which connection it came on, and by which protocol.
// node server.mjs <certificate> <key> <h2 or http/1.1>
import { readFileSync } from "node:fs";
import http2 from "node:http2";
import https from "node:https";

const [certificate, key, protocol] = process.argv.slice(2);
const trust = { cert: readFileSync(certificate), key: readFileSync(key) };
const numbers = new Map();

function answer(request, response) {
  const line = request.httpVersion === "2.0" ? request.stream.session : request.socket;
  if (!numbers.has(line)) numbers.set(line, numbers.size + 1);
  request.resume();
  request.on("end", () => {
    const seen = { version: request.httpVersion, connection: numbers.get(line), path: request.url };
    seen.key = request.headers.authorization ?? null;
    process.stdout.write(JSON.stringify(seen) + "\n");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(request.url === "/" ? '{"name": "vivavoce"}' : "[]");
  });
}

const server =
  protocol === "h2" ? http2.createSecureServer(trust, answer) : https.createServer(trust, answer);
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on("end", () => process.exit(0)).resume();
