import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { text } from "node:stream/consumers";
import { call } from "../support/api.js";
import type { TestDevice } from "../support/device.js";

// Uploads and downloads as a client sees them, over HTTP.

/** What `createBlob` answers. */
export interface Created {
  blob_id: string;
  upload_token: string;
  delete_token: string;
  part_bytes: number;
  parts: number;
  expires_at: number;
}

const hourSeconds = 3_600;

export async function createBlob(
  relay: { url: string },
  device: Pick<TestDevice, "token">,
  wanted: { size: number; lifetime_seconds?: number; max_downloads?: number },
): Promise<Created> {
  const body = { lifetime_seconds: hourSeconds, ...wanted };
  const answer = await call(relay, "createBlob", { token: device.token, body });
  if (answer.status !== 201) throw new Error(`createBlob: ${answer.status} ${answer.body.error}`);
  return answer.body;
}

export function digestOf(bytes: Uint8Array): string {
  return `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;
}

interface PartOptions {
  token?: string;
  digest?: string;
  headers?: Record<string, string>;
}

/** Uploads one part, whatever its bytes are. */
export async function putPart(
  relay: { url: string },
  blob: Created,
  part: number,
  bytes: Uint8Array,
  { token = blob.upload_token, digest = digestOf(bytes), headers = {} }: PartOptions = {},
): Promise<{ status: number; body: { error?: string } }> {
  const response = await fetch(`${relay.url}/v1/blobs/${blob.blob_id}/parts/${part}`, {
    method: "PUT",
    body: Buffer.from(bytes),
    headers: {
      "content-type": "application/octet-stream",
      "x-upload-token": token,
      "content-digest": digest,
      ...headers,
    },
  });
  return { status: response.status, body: (await response.json()) as { error?: string } };
}

/** Sends a part in chunks, without a Content-Length: the first half, then the rest once `meanwhile` has ended. */
export async function putPartInTwo(
  relay: { url: string },
  blob: Created,
  { part, bytes, meanwhile }: { part: number; bytes: Uint8Array; meanwhile?: () => Promise<unknown> },
): Promise<{ status: number; body: { error?: string } }> {
  const half = Math.floor(bytes.length / 2);
  const request = http.request(`${relay.url}/v1/blobs/${blob.blob_id}/parts/${part}`, {
    method: "PUT",
    headers: {
      "content-type": "application/octet-stream",
      "x-upload-token": blob.upload_token,
      "content-digest": digestOf(bytes),
      expect: "100-continue",
    },
  });
  const answered = once(request, "response") as Promise<[http.IncomingMessage]>;
  request.flushHeaders();
  // The relay asks for the body once it has counted the request.
  await once(request, "continue");
  request.write(bytes.subarray(0, half));
  await meanwhile?.();
  request.end(bytes.subarray(half));
  const [response] = await answered;
  return { status: response.statusCode ?? 0, body: JSON.parse(await text(response)) as { error?: string } };
}

/** The bytes of each part. */
export function partsOf(bytes: Uint8Array, { part_bytes: partBytes }: Created): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += partBytes) parts.push(bytes.subarray(at, at + partBytes));
  return parts;
}

export const complete = (relay: { url: string }, blob: Created) =>
  call(relay, "completeBlob", { params: { blob_id: blob.blob_id }, headers: { "x-upload-token": blob.upload_token } });

export const uploadState = (relay: { url: string }, blob: Created) =>
  call(relay, "getBlobUpload", { params: { blob_id: blob.blob_id }, headers: { "x-upload-token": blob.upload_token } });

export const deleteBlob = (relay: { url: string }, blob: Created, token = blob.delete_token) =>
  call(relay, "deleteBlob", { params: { blob_id: blob.blob_id }, headers: { "x-delete-token": token } });

/** Uploads all parts and completes the blob. */
export async function upload(
  relay: { url: string },
  device: Pick<TestDevice, "token">,
  bytes: Uint8Array,
  wanted: { lifetime_seconds?: number; max_downloads?: number } = {},
): Promise<Created> {
  const blob = await createBlob(relay, device, { size: bytes.length, ...wanted });
  for (const [part, content] of partsOf(bytes, blob).entries()) {
    const { status } = await putPart(relay, blob, part, content);
    if (status !== 200) throw new Error(`uploadBlobPart: ${status}`);
  }
  const { status } = await complete(relay, blob);
  if (status !== 200) throw new Error(`completeBlob: ${status}`);
  return blob;
}

export async function download(
  relay: { url: string },
  blob: Pick<Created, "blob_id">,
  { headers = {}, method = "GET" }: { headers?: Record<string, string>; method?: string } = {},
): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const response = await fetch(`${relay.url}/v1/blobs/${blob.blob_id}`, { method, headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** The folders of blobs in the storage. */
export function storedFolders({ blobDir }: { blobDir: string | null }): string[] {
  const prefixes = readdirSync(blobDir ?? "").filter((name) => name.length === 2);
  return prefixes.flatMap((prefix) => readdirSync(path.join(blobDir ?? "", prefix)));
}

export const newBytes = (length: number) => new Uint8Array(randomBytes(length));
