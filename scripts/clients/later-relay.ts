import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a later version might add to an object of an answer. */
const added = { added_later: { by: "a later version" } };

interface LaterRelay {
  url: string;
  stop(): Promise<void>;
}

/** Acts as a later version of the relay: every object in the answers of `relayUrl` has an additional member. */
export async function startLaterRelay(relayUrl: string): Promise<LaterRelay> {
  const server = createServer((req, res) => void handOn(relayUrl, req, res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

function handOn(relayUrl: string, req: IncomingMessage, res: ServerResponse): void {
  const { method, headers, url } = req;
  const onward = request(new URL(url ?? "/", relayUrl), { method, headers }, (answer) => {
    const chunks: Buffer[] = [];
    answer.on("data", (chunk: Buffer) => chunks.push(chunk));
    answer.on("end", () => {
      const body = withAddedMembers(Buffer.concat(chunks), answer.headers["content-type"]);
      const { "transfer-encoding": _, ...kept } = answer.headers;
      res.writeHead(answer.statusCode ?? 502, { ...kept, "content-length": body.length });
      res.end(body);
    });
  });
  onward.on("error", () => res.destroy());
  req.pipe(onward);
}

function withAddedMembers(body: Buffer, type = ""): Buffer {
  if (!type.startsWith("application/json") || body.length === 0) return body;
  return Buffer.from(JSON.stringify(JSON.parse(body.toString("utf8"), (_, value) => widened(value))));
}

function widened(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value, ...added } : value;
}
