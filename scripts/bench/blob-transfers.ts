import { randomBytes } from "node:crypto";
import { blobBytes, createUploader, download } from "./blob-client.js";

// One upload and one download after another, in a process of their own, until it is ended.

const port = Number(process.env["RELAY_PORT"]);
const client = await createUploader({ port }, randomBytes(blobBytes));
const { id } = await client.upload();
process.once("SIGTERM", () => process.exit());
console.error(`the transfers serves nobody at http://127.0.0.1:${port} `);

async function again(transfer: () => Promise<unknown>): Promise<never> {
  for (;;) await transfer();
}

await Promise.all([again(() => client.uploadAndDelete()), again(() => download(port, `/v1/blobs/${id}`))]);
