import { CompleteMultipartUploadCommand, ListPartsCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { downloadBlob } from "../../src/client/blobs/blob-download.js";
import { uploadBlob } from "../../src/client/blobs/blob-upload.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { newClient } from "../client/harness.js";
import { runCommand } from "../support/command.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { isMissing } from "../support/programs.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { type S3Server, startS3, startS3Proxy } from "./s3-server.js";
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
  upload,
  uploadState,
} from "./uploading.js";

const mebibyte = 1024 * 1024;
const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;
/** Two parts. */
const size = 8 * mebibyte + 17;

describe.skipIf(isMissing("versitygw"))("blobs in S3", () => {
  let s3: S3Server;
  let relay: TestRelay;
  /** A second node on the same database and bucket. */
  let other: TestRelay;
  let db: Database;
  let device: TestDevice;

  beforeAll(async () => {
    s3 = await startS3();
    Object.assign(process.env, s3.env);
    relay = await startRelay({
      blobStorage: "s3",
      blobS3Bucket: s3.bucket,
      blobS3Endpoint: s3.url,
      blobS3Prefix: "relay/",
      blobStorageCheckSeconds: 0.25,
      newTierBlobsPerHour: 100_000,
      newTierBlobBytesPerDay: 2 ** 40,
      blobCleanupSeconds: 60,
    });
    other = await startRelay({ ...relay.config, databaseUrl: relay.databaseUrl }, { clock: relay.clock });
    db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
    device = await newDevice(relay);
  });
  afterAll(async () => {
    await db?.close();
    await other?.stop();
    await relay?.stop();
    for (const name of Object.keys(s3?.env ?? {})) delete process.env[name];
    await s3?.stop();
  });

  const nameOf = async (blob: Created) => {
    const sql = "select encode(name, 'hex') as name, upload_reference as reference from blobs where name = sha256(:id)";
    const row = await db.one<{ name: string; reference: string }>(sql, { id: Buffer.from(blob.blob_id, "hex") });
    return { key: `relay/${row?.name}`, reference: row?.reference };
  };

  test("are uploaded through any node, in any order, and read in ranges", async () => {
    const bytes = newBytes(size);
    const blob = await createBlob(relay, device, { size });
    const [first, second] = partsOf(bytes, blob) as [Uint8Array, Uint8Array];
    expect((await putPart(other, blob, 1, second)).status).toBe(200);
    expect((await uploadState(relay, blob)).body).toMatchObject({ stored_parts: [1], complete: false });
    expect((await complete(relay, blob)).status).toBe(409);
    expect((await putPart(relay, blob, 0, first)).status).toBe(200);
    expect((await putPart(other, blob, 0, first)).status).toBe(200);
    expect((await download(relay, blob)).status).toBe(404);
    expect((await complete(other, blob)).status).toBe(200);
    expect((await complete(relay, blob)).status).toBe(200);
    for (const node of [relay, other]) expect((await download(node, blob)).bytes.equals(bytes)).toBe(true);
    const across = await download(relay, blob, { headers: { range: `bytes=${blob.part_bytes - 5}-${size - 10}` } });
    expect(across.status).toBe(206);
    expect(across.bytes.equals(Buffer.from(bytes.subarray(blob.part_bytes - 5, size - 9)))).toBe(true);
    expect((await putPart(relay, blob, 0, first)).status).toBe(409);
    expect(await s3.objects()).toContain((await nameOf(blob)).key);
  });

  test("have no byte of a part whose digest is wrong, or that ends early", async () => {
    const bytes = newBytes(2 * mebibyte);
    const blob = await createBlob(relay, device, { size: bytes.length });
    const wrong = await putPart(relay, blob, 0, bytes, { digest: digestOf(newBytes(3)) });
    expect([wrong.status, wrong.body.error]).toEqual([400, "DIGEST_MISMATCH"]);
    expect((await putPart(relay, blob, 0, bytes.subarray(1))).status).toBe(400);
    expect((await uploadState(relay, blob)).body.stored_parts).toEqual([]);
    expect((await putPart(relay, blob, 0, bytes)).status).toBe(200);
    expect((await complete(relay, blob)).status).toBe(200);
    expect((await download(relay, blob)).bytes.equals(Buffer.from(bytes))).toBe(true);
  });

  test("are complete although the relay was stopped before it could note that", async () => {
    const bytes = newBytes(100_000);
    const blob = await createBlob(relay, device, { size: bytes.length });
    expect((await putPart(relay, blob, 0, bytes)).status).toBe(200);
    const { key, reference: UploadId } = await nameOf(blob);
    const upload = { Bucket: s3.bucket, Key: key, UploadId };
    const { Parts } = await s3.client.send(new ListPartsCommand(upload));
    await s3.client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
    expect((await uploadState(relay, blob)).body).toMatchObject({ stored_parts: [0], complete: false });
    expect((await putPart(relay, blob, 0, bytes)).status).toBe(200);
    expect((await putPart(relay, blob, 0, newBytes(100_000))).body.error).toBe("CONFLICT");
    expect((await complete(relay, blob)).status).toBe(200);
    expect((await download(relay, blob)).bytes.equals(Buffer.from(bytes))).toBe(true);
  });

  test("have the last bytes of a part that was sent twice", async () => {
    const [wrong, bytes] = [newBytes(50_000), newBytes(50_000)];
    const blob = await createBlob(relay, device, { size: bytes.length });
    expect((await putPart(relay, blob, 0, wrong)).status).toBe(200);
    expect((await putPartInTwo(other, blob, { part: 0, bytes })).status).toBe(200);
    expect((await complete(relay, blob)).status).toBe(200);
    expect((await download(relay, blob)).bytes.equals(Buffer.from(bytes))).toBe(true);
  });

  describe("that clients read from the S3 server themselves", () => {
    let pointing: TestRelay;
    beforeAll(async () => {
      const settings = { ...relay.config, databaseUrl: relay.databaseUrl, blobS3PublicEndpoint: s3.url };
      pointing = await startRelay(settings, { clock: relay.clock });
    });
    afterAll(async () => {
      await pointing?.stop();
    });
    const ask = (id: string, method = "GET") => fetch(`${pointing.url}/v1/blobs/${id}`, { method, redirect: "manual" });

    test("are at an address that works for this blob alone, and for five minutes", async () => {
      const blob = await upload(relay, device, newBytes(1_000));
      const answer = await ask(blob.blob_id);
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([307, "no-store"]);
      const address = new URL(answer.headers.get("location") ?? "");
      expect([address.origin, address.searchParams.get("X-Amz-Expires")]).toEqual([s3.url, "300"]);
      expect(address.href).not.toContain(encodeURIComponent(s3.env.AWS_SECRET_ACCESS_KEY));
      expect((await fetch(address)).status).toBe(200);
      const other = await upload(relay, device, newBytes(1_000));
      address.pathname = `/${s3.bucket}/${(await nameOf(other)).key}`;
      expect((await fetch(address)).status).toBe(403);
      expect((await ask("0".repeat(64))).status).toBe(404);
    });

    test("are followed there, also in ranges", async () => {
      const bytes = newBytes(size);
      const blob = await upload(relay, device, bytes);
      expect((await download(pointing, blob)).bytes.equals(bytes)).toBe(true);
      const rest = await download(pointing, blob, { headers: { range: `bytes=${blob.part_bytes}-` } });
      expect(rest.status).toBe(206);
      expect(rest.bytes.equals(bytes.subarray(blob.part_bytes))).toBe(true);
    });

    test("reach an application through the library", async () => {
      const file = newBytes(300_000);
      const { reference } = await uploadBlob(await newClient(pointing), file);
      expect((await ask(new URL(reference.url).pathname.split("/").at(-1) ?? "")).status).toBe(307);
      const read = await new Response(downloadBlob(reference)).arrayBuffer();
      expect(Buffer.from(read).equals(file)).toBe(true);
    });

    test("pass the relay if their downloads are counted, and if only the headers are asked for", async () => {
      const counted = await upload(relay, device, newBytes(1_000), { max_downloads: 1 });
      expect((await ask(counted.blob_id)).status).toBe(200);
      expect((await ask(counted.blob_id)).status).toBe(404);
      const blob = await upload(relay, device, newBytes(1_000));
      const head = await ask(blob.blob_id, "HEAD");
      expect([head.status, head.headers.get("content-length")]).toEqual([200, "1000"]);
    });
  });

  test("are gone from the bucket when they are deleted, and an abandoned upload is too", async () => {
    const blob = await upload(relay, device, newBytes(1_000));
    const { key } = await nameOf(blob);
    expect((await deleteBlob(relay, blob)).status).toBe(200);
    expect(await s3.objects()).not.toContain(key);
    const abandoned = await createBlob(relay, device, { size: 1_000, lifetime_seconds: daySeconds });
    expect((await putPart(relay, abandoned, 0, newBytes(1_000))).status).toBe(200);
    const { key: Key, reference: UploadId } = await nameOf(abandoned);
    relay.clock.advance(2 * hourSeconds);
    const isGone = () =>
      s3.client.send(new ListPartsCommand({ Bucket: s3.bucket, Key, UploadId })).then(
        () => false,
        ({ name }: Error) => name === "NoSuchUpload",
      );
    await until(async () => {
      relay.clock.advance(61);
      return isGone();
    }, "the upload is removed");
  });

  test("survive a killed storage, and are refused while it is away", async () => {
    const bytes = newBytes(size);
    const whole = await upload(relay, device, bytes);
    const begun = await createBlob(relay, device, { size });
    const [first, second] = partsOf(bytes, begun) as [Uint8Array, Uint8Array];
    expect((await putPart(relay, begun, 0, first)).status).toBe(200);
    await s3.kill();
    const away = await putPart(relay, begun, 1, second);
    expect([away.status, away.body.error]).toEqual([503, "OVERLOADED"]);
    expect((await download(relay, whole)).status).toBe(503);
    expect((await complete(relay, begun)).status).toBe(503);
    await s3.start();
    await until(async () => (await putPart(relay, begun, 1, second)).status === 200, "the part is stored");
    expect((await complete(relay, begun)).status).toBe(200);
    for (const blob of [whole, begun]) expect((await download(relay, blob)).bytes.equals(bytes)).toBe(true);
  });

  test("go on to be uploaded after a proxy in front of the storage has answered 404", async () => {
    const proxy = await startS3Proxy(s3.url);
    const behind = await startRelay(
      { ...relay.config, databaseUrl: relay.databaseUrl, blobS3Endpoint: proxy.url },
      { clock: relay.clock },
    );
    const bytes = newBytes(size);
    const blob = await createBlob(behind, device, { size });
    const [first, second] = partsOf(bytes, blob) as [Uint8Array, Uint8Array];
    expect((await putPart(behind, blob, 0, first)).status).toBe(200);
    proxy.lose(true);
    for (const { status, body } of [await putPart(behind, blob, 1, second), await complete(behind, blob)])
      expect([status, body.error]).toEqual([503, "OVERLOADED"]);
    proxy.lose(false);
    expect((await putPart(behind, blob, 1, second)).status).toBe(200);
    expect((await complete(behind, blob)).status).toBe(200);
    expect((await download(behind, blob)).bytes.equals(bytes)).toBe(true);
    await behind.stop();
    proxy.stop();
  });

  test("are looked for by doctor, with the credentials of an environment file", async () => {
    const env = {
      DATABASE_URL: relay.databaseUrl,
      MASTER_KEY: relay.config.masterKey ?? "",
      BLOB_STORAGE: "s3",
      BLOB_S3_BUCKET: s3.bucket,
      BLOB_S3_ENDPOINT: s3.url,
      BLOB_S3_PREFIX: "relay/",
      ...s3.env,
    };
    expect((await runCommand(["doctor"], env)).stdout).toMatch(/blobs\s+s3:\/\/blobs\/relay\/ can be used/);
    const elsewhere = await runCommand(["doctor"], { ...env, BLOB_S3_BUCKET: "nobodys" });
    expect(elsewhere.stdout).toMatch(/s3:\/\/nobodys\/relay\/: NoSuchBucket/);
    const others = await runCommand(["doctor"], { ...env, BLOB_S3_PREFIX: "others/" });
    expect(others.stdout).toMatch(/[1-9]\d* of [1-9]\d* blobs of the database are not in s3:\/\/blobs\/others\//);
    const unnamed = await runCommand(["doctor"], { ...env, BLOB_S3_BUCKET: "" });
    expect(unnamed.stderr + unnamed.stdout).toMatch(/BLOB_S3_BUCKET is missing/);
  });

  test("that a restored database does not know are removed when no database can know them", async () => {
    relay.clock.advance(93 * daySeconds);
    // Each turn, of a minute here, looks at one of 256 beginnings of names.
    const turn = Math.floor(relay.clock.nowSeconds() / 60);
    // A busy relay skips turns.
    const names = Array.from({ length: 64 }, (_, later) => {
      const beginning = ((turn + 2 + later) % 256).toString(16).padStart(2, "0");
      return `relay/${beginning.padEnd(64, "a")}`;
    });
    for (const Key of names)
      await s3.client.send(new PutObjectCommand({ Bucket: s3.bucket, Key, Body: "what was lost" }));
    await s3.client.send(new PutObjectCommand({ Bucket: s3.bucket, Key: "elsewhere", Body: "not the relay's" }));
    await until(async () => {
      relay.clock.advance(20);
      const left = await s3.objects();
      return names.filter((name) => !left.includes(name)).length >= 2;
    }, "objects of two turns are removed");
    expect(await s3.objects()).toContain("elsewhere");
  });
});
