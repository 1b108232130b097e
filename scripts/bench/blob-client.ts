import { createHash } from "node:crypto";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { mebibyte } from "../../src/protocol/units.js";
import type { Measured } from "./environment.js";
import { createLoadClients } from "./load-clients.js";

// Uploads and downloads without encryption, as fast as Node.js can.

export const blobBytes = 100 * mebibyte;
const partsAtOnce = 4;

/** A device that uploads the same bytes again and again. */
export async function createUploader({ port }: Pick<Measured, "port">, content: Buffer) {
  const [device] = await createLoadClients(port, 1);
  const agent = new Agent({ keepAlive: true, maxSockets: partsAtOnce });
  const headers = { authorization: `Bearer ${device?.token}`, "content-type": "application/json" };
  let partBytes = 0;
  let parts: { bytes: Buffer; digest: string }[] = [];
  const json = async (method: string, url: string, more: Record<string, string>, body?: string) => {
    const { status, text } = await ask({ agent, port, method, path: url, headers: more }, body);
    if (status >= 300) throw new Error(`the relay has answered ${status}: ${text}`);
    return JSON.parse(text || "{}");
  };
  const upload = async () => {
    const wanted = JSON.stringify({ size: content.length, lifetime_seconds: 3_600 });
    const blob = await json("POST", "/v1/blobs", headers, wanted);
    const of = `/v1/blobs/${blob.blob_id}`;
    if (parts.length === 0) parts = divide(content, blob.part_bytes);
    partBytes = blob.part_bytes;
    const token = { "x-upload-token": blob.upload_token };
    await each(parts, async ({ bytes, digest }, part) => {
      const more = { ...token, "content-digest": digest, "content-type": "application/octet-stream" };
      const sent = { agent, port, method: "PUT", path: `${of}/parts/${part}`, headers: more };
      const { status, text } = await ask(sent, bytes);
      if (status !== 200) throw new Error(`the relay has answered ${status}: ${text}`);
    });
    await json("POST", `${of}/complete`, token);
    return { id: blob.blob_id as string, remove: () => json("DELETE", of, { "x-delete-token": blob.delete_token }) };
  };
  return {
    upload,
    uploadAndDelete: async () => (await upload()).remove(),
    /** The same bytes in the same parts. */
    uploadTo: (other: number) =>
      each(divide(content, partBytes), async ({ bytes }, part) => {
        await ask({ agent, port: other, method: "PUT", path: `/${part}`, headers: {} }, bytes);
      }),
  };
}

function divide(content: Buffer, partBytes: number) {
  return Array.from({ length: Math.ceil(content.length / partBytes) }, (_, at) => {
    const bytes = content.subarray(at * partBytes, (at + 1) * partBytes);
    return { bytes, digest: `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:` };
  });
}

async function each<T>(list: readonly T[], work: (one: T, at: number) => Promise<void>): Promise<void> {
  const left = [...list.entries()];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: partsAtOnce }, worker));
}

interface Asked {
  agent: Agent;
  port: number;
  method: string;
  path: string;
  headers: Record<string, string>;
}

async function ask(asked: Asked, body?: Buffer | string): Promise<{ status: number; text: string }> {
  const outgoing = request({ host: "127.0.0.1", ...asked });
  outgoing.end(body);
  const [response] = await once(outgoing, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, text };
}

export async function download(port: number, url: string): Promise<void> {
  const outgoing = request({ host: "127.0.0.1", port, path: url, agent: false });
  outgoing.end();
  const [response] = await once(outgoing, "response");
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  if (bytes !== blobBytes) throw new Error(`${response.statusCode}: ${bytes} bytes`);
}
