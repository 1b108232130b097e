import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import {
  type Created,
  complete,
  createBlob,
  deleteBlob,
  digestOf,
  download,
  newBytes,
  partsOf,
  putPart,
  putPartInTwo,
  storedFolders,
  upload,
  uploadState,
} from "./uploading.js";

const mebibyte = 1024 * 1024;
const hour = 3_600;
const day = 24 * hour;

let relay: TestRelay;
/** A second node on the same database and folder. */
let other: TestRelay;
let db: Database;
let device: TestDevice;

beforeAll(async () => {
  relay = await startRelay({
    trustedProxies: ["127.0.0.1/32"],
    newTierBlobsPerHour: 100_000,
    newTierBlobBytesPerDay: 1024 * mebibyte,
    blobsRemovedPerStep: 2,
    blobCleanupSeconds: 60,
  });
  other = await startRelay({ ...relay.config, databaseUrl: relay.databaseUrl }, { clock: relay.clock });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  device = await newDevice(relay);
});
afterAll(async () => {
  await db.close();
  await other.stop();
  await relay.stop();
});

const errorOf = ({ status, body }: { status: number; body: { error?: string | undefined } }) => [status, body.error];
const statusOf = async (blob: Pick<Created, "blob_id">) => (await download(relay, blob)).status;

async function countRows(): Promise<number> {
  return (await db.one<{ rows: number }>("select count(*)::integer as rows from blobs"))?.rows ?? -1;
}

describe("a blob", () => {
  test("is what was uploaded, on every node, once it is complete", async () => {
    const bytes = newBytes(2 * mebibyte + 17);
    const blob = await createBlob(relay, device, { size: bytes.length });
    expect(blob.parts).toBe(3);
    const [first, second, third] = partsOf(bytes, blob) as [Uint8Array, Uint8Array, Uint8Array];
    expect((await putPart(relay, blob, 2, third)).status).toBe(200);
    expect((await putPart(other, blob, 0, first)).status).toBe(200);
    expect(errorOf(await complete(relay, blob))).toEqual([409, "CONFLICT"]);
    expect(await statusOf(blob)).toBe(404);
    expect((await uploadState(other, blob)).body).toMatchObject({ stored_parts: [0, 2], complete: false });

    await Promise.all([putPart(relay, blob, 1, second), putPart(other, blob, 1, second)]);
    expect((await complete(relay, blob)).status).toBe(200);
    expect((await complete(other, blob)).body).toMatchObject({ size: bytes.length, expires_at: blob.expires_at });
    expect((await uploadState(relay, blob)).body).toMatchObject({ stored_parts: [], complete: true });

    for (const node of [relay, other]) {
      const found = await download(node, blob);
      expect(found.status).toBe(200);
      expect(found.headers.get("content-length")).toBe(String(bytes.length));
      expect(found.headers.get("content-type")).toBe("application/octet-stream");
      expect(found.bytes.equals(bytes)).toBe(true);
    }
  });

  test("gives ranges that join to the whole, and says with HEAD what it would send", async () => {
    const bytes = newBytes(mebibyte + 100);
    const blob = await upload(relay, device, bytes);
    const head = await download(relay, blob, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(head.headers.get("content-length")).toBe(String(bytes.length));
    expect(head.headers.get("accept-ranges")).toBe("bytes");
    const tag = head.headers.get("etag") ?? "";

    const ranges = [
      ["bytes=0-0", 0, 0],
      ["bytes=1048570-1048580", 1_048_570, 1_048_580],
      ["bytes=1048576-", mebibyte, bytes.length - 1],
      ["bytes=-5", bytes.length - 5, bytes.length - 1],
      ["bytes=-99999999", 0, bytes.length - 1],
      ["BYTES=100-99999999", 100, bytes.length - 1],
    ] as const;
    for (const [range, first, last] of ranges) {
      const found = await download(relay, blob, { headers: { range, "if-range": tag } });
      expect([range, found.status]).toEqual([range, 206]);
      expect(found.headers.get("content-range")).toBe(`bytes ${first}-${last}/${bytes.length}`);
      expect(found.headers.get("etag")).toBe(tag);
      expect(found.bytes.equals(bytes.subarray(first, last + 1))).toBe(true);
    }
    for (const range of ["bytes=5-4", "bytes=0-1,3-4", "bytes=-", "items=0-1", "bytes=x-y"]) {
      expect([range, (await download(relay, blob, { headers: { range } })).status]).toEqual([range, 200]);
    }
    expect((await download(relay, blob, { headers: { range: "bytes=0-1", "if-range": '"other"' } })).status).toBe(200);
    for (const range of [`bytes=${bytes.length}-`, "bytes=-0"]) {
      const refused = await download(relay, blob, { headers: { range } });
      expect([range, refused.status]).toEqual([range, 416]);
      expect(refused.headers.get("content-range")).toBe(`bytes */${bytes.length}`);
    }
  });

  test("can be read by a page of any origin", async () => {
    const blob = await upload(relay, device, newBytes(10));
    const found = await download(relay, blob, { headers: { origin: "https://app.example" } });
    expect(found.headers.get("access-control-allow-origin")).toBe("*");
    const exposed = found.headers.get("access-control-expose-headers") ?? "";
    for (const name of ["ETag", "Content-Range", "Content-Length"]) expect(exposed).toContain(name);
    const preflight = await fetch(`${relay.url}/v1/blobs/${blob.blob_id}`, {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "DELETE",
        "access-control-request-headers": "x-delete-token",
      },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-headers")]).toEqual([204, "x-delete-token"]);
  });

  test("is deleted by its delete token alone", async () => {
    const blob = await upload(relay, device, newBytes(1000));
    expect(errorOf(await deleteBlob(relay, blob, blob.upload_token))).toEqual([403, "UNAUTHORIZED"]);
    expect(await statusOf(blob)).toBe(200);
    expect((await deleteBlob(other, blob)).body).toEqual({ deleted: true });
    expect(await statusOf(blob)).toBe(404);
    expect(errorOf(await deleteBlob(relay, blob))).toEqual([404, "NOT_FOUND"]);
    expect(errorOf(await complete(relay, blob))).toEqual([404, "NOT_FOUND"]);
  });

  test("ends when its lifetime is over, and leaves nothing", async () => {
    const blobs = [];
    for (let n = 0; n < 5; n++) blobs.push(await upload(relay, device, newBytes(500), { lifetime_seconds: 2 * hour }));
    const [first] = blobs as [Created];
    relay.clock.advance(2 * hour - 60);
    expect(await statusOf(first)).toBe(200);
    relay.clock.advance(61);
    for (const blob of blobs) expect(await statusOf(blob)).toBe(404);
    relay.clock.advance(120);
    await until(async () => storedFolders(relay.config).length === 0, "the storage is empty");
    await until(async () => (await countRows()) === 0, "the rows are gone");
    const row = await db.one<{ bytes: number; size: number }>(
      "select bytes, (select coalesce(sum(size), 0)::bigint from blobs) as size from blob_balance",
    );
    expect(row?.bytes).toBe(row?.size);
  });

  test("of a day or more does not show the second in which it was created", async () => {
    const blob = await createBlob(relay, device, { size: 10, lifetime_seconds: 30 * day });
    expect(blob.expires_at % hour).toBe(0);
    expect(blob.expires_at).toBeGreaterThanOrEqual(relay.clock.nowSeconds() + 30 * day - hour);
  });
});

describe("an upload", () => {
  test("that is abandoned ends an hour after its last part, or ten minutes after its creation", async () => {
    const bytes = newBytes(2 * mebibyte);
    const create = () => createBlob(relay, device, { size: bytes.length, lifetime_seconds: day });
    const [kept, left, untouched] = [await create(), await create(), await create()];
    const [first, second] = partsOf(bytes, kept) as [Uint8Array, Uint8Array];
    for (const blob of [kept, left]) await putPart(relay, blob, 0, first);
    relay.clock.advance(11 * 60);
    expect(errorOf(await putPart(relay, untouched, 0, first))).toEqual([404, "NOT_FOUND"]);
    relay.clock.advance(39 * 60);
    expect((await putPart(relay, kept, 0, first)).status).toBe(200);
    relay.clock.advance(50 * 60);
    expect((await putPart(relay, kept, 1, second)).status).toBe(200);
    expect(errorOf(await putPart(relay, left, 1, second))).toEqual([404, "NOT_FOUND"]);
    expect((await complete(relay, kept)).status).toBe(200);
    relay.clock.advance(5 * hour);
    expect(await statusOf(kept)).toBe(200);
  });

  test("takes a part only if its bytes, their number, its digest and the token are right", async () => {
    const bytes = newBytes(mebibyte + 10);
    const blob = await createBlob(relay, device, { size: bytes.length });
    const [first, second] = partsOf(bytes, blob) as [Uint8Array, Uint8Array];
    const changed = Uint8Array.from(first);
    changed[77] = (changed[77] ?? 0) ^ 1;
    expect(errorOf(await putPart(relay, blob, 0, changed, { digest: digestOf(first) }))).toEqual([
      400,
      "DIGEST_MISMATCH",
    ]);
    expect(errorOf(await putPart(relay, blob, 0, second))).toEqual([400, "INVALID_REQUEST"]);
    expect(errorOf(await putPart(relay, blob, 1, first))).toEqual([400, "INVALID_REQUEST"]);
    expect(errorOf(await putPart(relay, blob, 2, second))).toEqual([400, "INVALID_REQUEST"]);
    expect(errorOf(await putPart(relay, blob, 0, first, { token: blob.delete_token }))).toEqual([403, "UNAUTHORIZED"]);
    const asJson = { headers: { "content-type": "application/json" } };
    expect(errorOf(await putPart(relay, blob, 0, first, asJson))).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    const otherHash = { digest: "sha-512=:AAAA:" };
    expect(errorOf(await putPart(relay, blob, 0, first, otherHash))).toEqual([400, "INVALID_REQUEST"]);
    expect((await uploadState(relay, blob)).body.stored_parts).toEqual([]);

    expect((await putPart(relay, blob, 0, first)).status).toBe(200);
    expect((await putPart(relay, blob, 0, first)).status).toBe(200);
    expect((await putPart(relay, blob, 1, second)).status).toBe(200);
    expect((await complete(relay, blob)).status).toBe(200);
    expect(errorOf(await putPart(relay, blob, 0, first))).toEqual([409, "CONFLICT"]);
    expect((await download(relay, blob)).bytes.equals(bytes)).toBe(true);
  });

  test("takes four times as many requests as it has parts, and 16 more", async () => {
    const bytes = newBytes(10);
    const blob = await createBlob(relay, device, { size: 10 });
    for (let n = 0; n < 20; n++) expect((await putPart(relay, blob, 0, bytes)).status).toBe(200);
    expect(errorOf(await putPart(relay, blob, 0, bytes))).toEqual([409, "CONFLICT"]);
    expect((await complete(relay, blob)).status).toBe(200);
  });

  test("takes other bytes for a part until it is complete, and what comes late changes nothing", async () => {
    const [wrong, bytes, late] = [newBytes(2000), newBytes(2000), newBytes(2000)];
    const blob = await createBlob(relay, device, { size: bytes.length });
    expect((await putPart(relay, blob, 0, wrong)).status).toBe(200);
    expect((await putPart(other, blob, 0, bytes)).status).toBe(200);
    const done = { status: 0 };
    const meanwhile = async () => Object.assign(done, await complete(other, blob));
    expect(errorOf(await putPartInTwo(relay, blob, { part: 0, bytes: late, meanwhile }))).toEqual([409, "CONFLICT"]);
    expect(done.status).toBe(200);
    expect(errorOf(await putPart(relay, blob, 0, late))).toEqual([409, "CONFLICT"]);
    expect((await download(relay, blob)).bytes.equals(bytes)).toBe(true);
  });

  test("takes a part in chunks of unknown length, if it has the right number of bytes in the end", async () => {
    const bytes = newBytes(3000);
    const blob = await createBlob(relay, device, { size: bytes.length });
    for (const length of [2999, 0]) {
      const short = await putPartInTwo(relay, blob, { part: 0, bytes: bytes.subarray(0, length) });
      expect(errorOf(short)).toEqual([400, "INVALID_REQUEST"]);
    }
    expect(errorOf(await putPartInTwo(relay, blob, { part: 0, bytes: newBytes(3001) }))).toEqual([
      400,
      "INVALID_REQUEST",
    ]);
    expect((await putPartInTwo(relay, blob, { part: 0, bytes })).status).toBe(200);
    expect((await complete(relay, blob)).status).toBe(200);
    expect((await download(relay, blob)).bytes.equals(bytes)).toBe(true);
  });

  test("of a blob that nobody has created is not found", async () => {
    const unknown = { ...(await createBlob(relay, device, { size: 10 })), blob_id: "ab".repeat(32) };
    expect(errorOf(await putPart(relay, unknown, 0, newBytes(10)))).toEqual([404, "NOT_FOUND"]);
    expect(errorOf(await uploadState(relay, unknown))).toEqual([404, "NOT_FOUND"]);
    expect(errorOf(await complete(relay, unknown))).toEqual([404, "NOT_FOUND"]);
    expect(errorOf(await deleteBlob(relay, unknown))).toEqual([404, "NOT_FOUND"]);
    expect((await download(relay, unknown)).status).toBe(404);
  });
});

describe("a blob with a number of downloads", () => {
  test("ends after them; requests of one download count once, and may continue for an hour", async () => {
    const bytes = newBytes(3000);
    const blob = await upload(relay, device, bytes, { max_downloads: 2, lifetime_seconds: day });
    const named = (id: string, range?: string) => ({
      headers: { "x-download-id": id.repeat(32), ...(range === undefined ? {} : { range }) },
    });
    expect((await download(relay, blob, { method: "HEAD" })).status).toBe(200);
    expect((await download(relay, blob)).status).toBe(200);
    expect((await download(other, blob, named("a", "bytes=0-99"))).status).toBe(206);
    expect((await download(relay, blob, named("b"))).status).toBe(404);
    expect(await statusOf(blob)).toBe(404);
    expect((await download(relay, blob, named("a", "bytes=100-"))).bytes.equals(bytes.subarray(100))).toBe(true);
    relay.clock.advance(hour + 1);
    expect((await download(relay, blob, named("a"))).status).toBe(404);
  });

  test("gives exactly that many, however many ask at once", async () => {
    const blob = await upload(relay, device, newBytes(100), { max_downloads: 3 });
    const asked = Array.from({ length: 12 }, (_, n) => download(n % 2 === 0 ? relay : other, blob));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 404)).toHaveLength(9);
  });
});

describe("what a database shows", () => {
  test("is neither the id, nor a token, nor the device", async () => {
    const blob = await upload(relay, device, newBytes(100), { max_downloads: 5 });
    await download(relay, blob, { headers: { "x-download-id": "c".repeat(32) } });
    const rows = await db.rows(
      "select b::text as row from blobs as b union all select d::text from blob_downloads as d",
    );
    const text = JSON.stringify(rows);
    for (const secret of [blob.blob_id, blob.upload_token, blob.delete_token, device.deviceId, "c".repeat(32)])
      expect(text).not.toContain(secret);
    expect(storedFolders(relay.config)).not.toContain(blob.blob_id);
  });
});
