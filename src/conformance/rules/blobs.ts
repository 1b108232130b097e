import { createHash } from "node:crypto";
import { encodeBase64, encodeHex, utf8 } from "../../protocol/encodings.js";
import { hourSeconds, mebibyte, minuteSeconds } from "../../protocol/units.js";
import { hold, NotChecked, refused, same, success } from "../harness/assertions.js";
import type { Answer } from "../harness/requests.js";
import type { Harness, Rule } from "../harness/types.js";

export const blobRules: readonly Rule[] = [
  {
    id: "blobs.bytes",
    title: "a blob has the bytes that were uploaded, in parts in any order, and is not found before it is complete",
    source: "openapi: createBlob, uploadBlobPart, getBlobUpload, completeBlob, downloadBlob",
    async check(harness) {
      const content = contentOf(harness, Math.min(await maxBytes(harness), mebibyte + 1000));
      const blob = await create(harness, content);
      const parts = partsOf(content, blob);
      same(blob.parts, parts.length, "parts");
      for (const [number, bytes] of [...parts.entries()].reverse()) {
        refused(await complete(harness, blob), "CONFLICT");
        success(await put(harness, blob, { content: bytes, part: number }), 200);
      }
      const params = { blob_id: blob.blob_id };
      refused(await harness.call("downloadBlob", { params }), "NOT_FOUND");
      const headers = { "x-upload-token": blob.upload_token };
      const state = success(await harness.call("getBlobUpload", { params, headers }), 200);
      same(state.stored_parts, [...parts.keys()], "stored_parts");
      same(state.complete, false, "complete before it is");
      const first = success(await complete(harness, blob), 200);
      same(first.size, content.length, "size");
      same(success(await complete(harness, blob), 200), first, "the second answer");
      const found = await harness.call("downloadBlob", { params });
      success(found, 200);
      hold(found.text === content, "the bytes must be those that were uploaded");
      same(found.headers.get("content-length"), String(content.length), "Content-Length");
    },
  },
  {
    id: "blobs.range",
    title: "two ranges join to the whole, another entity tag gets all bytes, and a range beyond the end is refused",
    source: "openapi: downloadBlob; errors.yaml: RANGE_NOT_SATISFIABLE",
    async check(harness) {
      const content = contentOf(harness, smallSize);
      const { blob_id } = await upload(harness, content);
      const params = { blob_id };
      const read = (headers: Record<string, string>) => harness.call("downloadBlob", { params, headers });
      const head = await harness.ask("HEAD", `/v1/blobs/${blob_id}`);
      same(head.status, 200, "the status of HEAD");
      const tag = head.headers.get("etag") ?? "";
      const [first, rest] = [await read({ range: "bytes=0-9" }), await read({ range: "bytes=10-", "if-range": tag })];
      for (const answer of [first, rest]) success(answer as Answer<unknown>, 206);
      same(first.text + rest.text, content, "both ranges");
      same(first.headers.get("content-range"), `bytes 0-9/${content.length}`, "Content-Range");
      same((await read({ range: "bytes=-3" })).text, content.slice(-3), "the last bytes");
      const other = await read({ range: "bytes=0-9", "if-range": '"another"' });
      success(other, 200);
      same(other.text, content, "all bytes");
      refused(await read({ range: `bytes=${content.length}-` }), "RANGE_NOT_SATISFIABLE");
    },
  },
  {
    id: "blobs.digest",
    title: "a part with other bytes than its digest says, of another length or with another token is not stored",
    source: "openapi: uploadBlobPart; errors.yaml: DIGEST_MISMATCH, UNAUTHORIZED",
    async check(harness) {
      const content = contentOf(harness, smallSize);
      const blob = await create(harness, content);
      const digest = digestOf(content);
      refused(await put(harness, blob, { content: content.toUpperCase(), part: 0, digest }), "DIGEST_MISMATCH");
      refused(await put(harness, blob, { content: content.slice(1), part: 0 }), "INVALID_REQUEST");
      refused(await put(harness, blob, { content, part: 1 }), "INVALID_REQUEST");
      refused(await put(harness, blob, { content, part: 0, token: blob.delete_token }), "UNAUTHORIZED");
      const headers = { "x-upload-token": blob.upload_token };
      const state = success(await harness.call("getBlobUpload", { params: { blob_id: blob.blob_id }, headers }), 200);
      same(state.stored_parts, [], "stored_parts");
    },
  },
  {
    id: "blobs.final",
    title: "the bytes of a complete blob never change",
    source: "openapi: uploadBlobPart, downloadBlob; errors.yaml: CONFLICT",
    async check(harness) {
      const content = contentOf(harness, smallSize);
      const blob = await upload(harness, content);
      refused(await put(harness, blob, { content: contentOf(harness, smallSize), part: 0 }), "CONFLICT");
      same(await statusOf(harness, blob), 200, "the status of a download");
    },
  },
  {
    id: "blobs.deletion",
    title: "only the delete token deletes a blob, and then nobody finds it",
    source: "openapi: deleteBlob; errors.yaml: UNAUTHORIZED, NOT_FOUND",
    async check(harness) {
      const blob = await upload(harness, contentOf(harness, smallSize));
      const remove = (token: string) =>
        harness.call("deleteBlob", { params: { blob_id: blob.blob_id }, headers: { "x-delete-token": token } });
      refused(await remove(blob.upload_token), "UNAUTHORIZED");
      same(await statusOf(harness, blob), 200, "the status of a download");
      success(await remove(blob.delete_token), 200);
      same(await statusOf(harness, blob), 404, "the status of a download after the deletion");
      refused(await remove(blob.delete_token), "NOT_FOUND");
    },
  },
  {
    id: "blobs.downloads",
    title: "of a blob with two downloads exactly two of five at once succeed, and one with a name may be continued",
    source: "openapi: createBlob, downloadBlob",
    async check(harness) {
      const content = contentOf(harness, smallSize);
      const counted = await upload(harness, content, { max_downloads: 2 });
      const asked = await Promise.all([1, 2, 3, 4, 5].map(() => statusOf(harness, counted)));
      same(asked.filter((status) => status === 200).length, 2, "how many succeeded");
      same(asked.filter((status) => status === 404).length, 3, "how many were refused");

      const named = await upload(harness, content, { max_downloads: 1 });
      const headers = { "x-download-id": encodeHex(harness.random.bytes(16)) };
      for (const range of ["bytes=0-9", "bytes=10-"])
        same(await statusOf(harness, named, { ...headers, range }), 206, "the status of a part of one download");
      same(await statusOf(harness, named), 404, "the status of another download");
    },
  },
  {
    id: "blobs.lifetime",
    title: "a blob ends after its lifetime",
    source: "openapi: createBlob, downloadBlob",
    requires: ["time"],
    async check(harness) {
      const before = await harness.now();
      const blob = await upload(harness, contentOf(harness, smallSize), { lifetime_seconds: minuteSeconds });
      const lifetime = blob.expires_at - before;
      hold(lifetime >= minuteSeconds - 2 && lifetime <= 2 * minuteSeconds, `expires_at is ${lifetime} seconds away`);
      await harness.passTime(2 * minuteSeconds);
      same(await statusOf(harness, blob), 404, "the status of a download after the lifetime");
    },
  },
  {
    id: "blobs.administrator",
    title: "an administrator deletes a blob without its token, and then nobody finds it",
    source: "openapi: removeBlob; errors.yaml: NOT_FOUND",
    requires: ["admin"],
    async check(harness) {
      const { blob_id } = await upload(harness, contentOf(harness, smallSize));
      const params = { blob_id };
      success(await harness.admin("removeBlob", { params }), 200);
      same(await statusOf(harness, { blob_id }), 404, "the status of a download");
      refused(await harness.admin("removeBlob", { params }), "NOT_FOUND");
    },
  },
];

interface Created {
  blob_id: string;
  upload_token: string;
  delete_token: string;
  part_bytes: number;
  parts: number;
  expires_at: number;
}

const smallSize = 100;

async function maxBytes(harness: Harness): Promise<number> {
  const { blobs } = success(await harness.call("getDiscovery"), 200);
  if (blobs === undefined) throw new NotChecked("the server has no blobs");
  return blobs.max_bytes;
}

/** Hexadecimal digits: proxies and reports show them as they are. */
function contentOf({ random }: Harness, length: number): string {
  return encodeHex(random.bytes(Math.ceil(length / 2))).slice(0, length);
}

function digestOf(content: string): string {
  return `sha-256=:${encodeBase64(createHash("sha256").update(content).digest())}:`;
}

function partsOf(content: string, { part_bytes: partBytes }: Created): string[] {
  const parts = [];
  for (let at = 0; at < content.length; at += partBytes) parts.push(content.slice(at, at + partBytes));
  return parts;
}

async function create(harness: Harness, content: string, wanted: object = {}): Promise<Created> {
  await maxBytes(harness);
  const body = { size: content.length, lifetime_seconds: hourSeconds, ...wanted };
  return success(await (await harness.bob()).call("createBlob", { body }), 201);
}

interface PartUpload {
  content: string;
  part: number;
  digest?: string;
  token?: string;
}

function put(
  harness: Harness,
  blob: Created,
  { content, part, digest = digestOf(content), token = blob.upload_token }: PartUpload,
) {
  return harness.call("uploadBlobPart", {
    params: { blob_id: blob.blob_id, part: String(part) },
    headers: { "content-type": "application/octet-stream", "content-digest": digest, "x-upload-token": token },
    raw: Uint8Array.from(utf8(content)),
  });
}

function complete(harness: Harness, blob: Created) {
  const headers = { "x-upload-token": blob.upload_token };
  return harness.call("completeBlob", { params: { blob_id: blob.blob_id }, headers });
}

async function upload(harness: Harness, content: string, wanted: object = {}): Promise<Created> {
  const blob = await create(harness, content, wanted);
  for (const [number, bytes] of partsOf(content, blob).entries())
    success(await put(harness, blob, { content: bytes, part: number }), 200);
  success(await complete(harness, blob), 200);
  return blob;
}

async function statusOf(
  harness: Harness,
  { blob_id }: Pick<Created, "blob_id">,
  headers: Record<string, string> = {},
): Promise<number> {
  return (await harness.call("downloadBlob", { params: { blob_id }, headers })).status;
}
