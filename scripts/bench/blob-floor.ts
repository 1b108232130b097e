import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { pipeline } from "node:stream/promises";

// The unavoidable work of an upload: a bare server that writes each body to a file and syncs it before it answers.

const folder = process.env["FOLDER"] ?? "";

const server = createServer(async (request, response) => {
  const file = path.join(folder, path.basename(request.url ?? ""));
  if (request.method === "GET") return void (await pipeline(createReadStream(file), response));
  const handle = await open(file, "w");
  for await (const chunk of request) await handle.write(chunk);
  await handle.sync();
  await handle.close();
  response.writeHead(204).end();
});
server.listen(0, "127.0.0.1", () => {
  console.error(`the floor serves nobody at http://127.0.0.1:${(server.address() as AddressInfo).port} `);
});
process.once("SIGTERM", () => process.exit());
