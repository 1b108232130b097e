import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { downloadBlob } from "../../src/client/blobs/blob-download.js";
import { blobSizes } from "../../src/client/blobs/blob-encryption.js";
import { BlobError, type BlobReference, readBlobReference } from "../../src/client/blobs/blob-references.js";
import type { BlobUploadState } from "../../src/client/blobs/blob-sending.js";
import { deleteBlob, uploadBlob } from "../../src/client/blobs/blob-upload.js";
import type { DeviceClient } from "../../src/client/device/client.js";
import { MalformedError } from "../../src/client/runtime/json-shape.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import { newClient } from "./harness.js";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

let relay: TestRelay;
/** Between a device and its relay. */
let proxy: TcpProxy;
let device: DeviceClient;

beforeAll(async () => {
  relay = await startRelay({ newTierBlobBytesPerDay: 1024 * mebibyte, newTierBlobsPerHour: 10_000 });
  proxy = await startTcpProxy(Number(new URL(relay.url).port));
  device = await newClient(relay, { url: `http://127.0.0.1:${proxy.port}` });
});
afterAll(async () => {
  await proxy.stop();
  await relay.stop();
});

const patient = { retries: { attempts: 50, baseMillis: 20, capMillis: 100 } };
const newFile = (bytes: number) => new Uint8Array(randomBytes(bytes));
const read = async (stream: ReadableStream<Uint8Array>) => new Uint8Array(await new Response(stream).arrayBuffer());
const reasonOf = (failure: unknown) => (failure instanceof BlobError ? failure.reason : failure);

/** The address of the relay itself. */
const direct = (reference: BlobReference): BlobReference => ({
  ...reference,
  url: reference.url.replace(`:${proxy.port}/`, `:${new URL(relay.url).port}/`),
});

describe("a file", () => {
  test.each([
    0, 1, 512, 65_535, 65_536, 65_537, 131_072, 1_048_576, 3_000_000,
  ])("of %i bytes is read as it was uploaded, by anybody who has the reference", async (size) => {
    const file = newFile(size);
    const { reference, deleteToken } = await uploadBlob(device, file);
    const received = readBlobReference(JSON.parse(JSON.stringify(reference)));
    expect(received).toEqual(reference);
    expect(received.file_size).toBe(size);
    expect(Buffer.from(await read(downloadBlob(received))).equals(file)).toBe(true);
    await deleteBlob(reference, deleteToken);
    await deleteBlob(reference, deleteToken);
    await expect(read(downloadBlob(reference)).catch(reasonOf)).resolves.toBe("gone");
  });

  test("is taken from a Blob, and from a stream that says its size", async () => {
    const file = newFile(200_000);
    const progress: number[] = [];
    const onProgress = (sent: number) => progress.push(sent);
    const { reference } = await uploadBlob(device, new Blob([file]), { onProgress });
    expect(progress.at(-1)).toBe(file.length);
    expect(Buffer.from(await read(downloadBlob(reference))).equals(file)).toBe(true);

    const stream = () => new Blob([file]).stream();
    const again = await uploadBlob(device, { size: file.length, stream });
    expect(again.reference.plaintext_hash).toBe(reference.plaintext_hash);
    expect(again.reference.key).not.toBe(reference.key);
    for (const size of [file.length - 1, file.length + 1])
      await expect(uploadBlob(device, { size, stream })).rejects.toThrow("does not have the");
  });

  test("has one of few sizes on the relay, whatever its own is", async () => {
    const sizes = [1_000_000, 1_000_001, 1_010_000, 1_015_000].map((size) => blobSizes(size).sealed);
    expect(new Set(sizes).size).toBe(1);
    expect(new Set([0, 1, 100, 512].map((size) => blobSizes(size).sealed)).size).toBe(1);
    for (const size of [600, 100_000, 5_000_000, 3_900_000_000])
      expect(blobSizes(size).padded / size).toBeLessThan(1.12);
  });
});

describe("an upload", () => {
  test("goes on after broken connections, lost answers included", async () => {
    const file = newFile(3 * mebibyte);
    let cuts = 0;
    const onProgress = () => {
      if (cuts++ < 2) proxy.cut();
    };
    const { reference } = await uploadBlob(device, file, { onProgress });
    expect(cuts).toBeGreaterThan(2);
    expect(Buffer.from(await read(downloadBlob(reference))).equals(file)).toBe(true);
  });

  test("is continued from its state by another process, which sends only what is missing", async () => {
    const file = newFile(6 * mebibyte);
    const states: string[] = [];
    const stop = new AbortController();
    const stopped = uploadBlob(device, file, {
      signal: stop.signal,
      onState: (state) => void states.push(JSON.stringify(state)),
      onProgress: (sent) => sent > 3 * mebibyte && stop.abort(new Error("killed")),
    });
    await expect(stopped).rejects.toThrow("killed");
    const state = JSON.parse(states.at(-1) ?? "") as BlobUploadState;

    const before = proxy.asked();
    const { reference } = await uploadBlob(device, file, { resume: state });
    expect(proxy.asked() - before).toBeLessThan(4 * mebibyte);
    expect(Buffer.from(await read(downloadBlob(reference))).equals(file)).toBe(true);
    // The answer to `complete` was lost as well.
    const again = await uploadBlob(device, file, { resume: state });
    expect(again.reference).toEqual(reference);
  });

  test("is not continued with another file, before any byte of it is sent", async () => {
    const file = newFile(2 * mebibyte);
    const states: BlobUploadState[] = [];
    await uploadBlob(device, file, { onState: (state) => void states.push(state) });
    const other = Uint8Array.from(file);
    other[5] = (other[5] ?? 0) ^ 1;
    const [first] = states as [BlobUploadState];
    for (const source of [other, file.subarray(1)])
      await expect(uploadBlob(device, source, { resume: first })).rejects.toThrow("not the file");
  });

  test("that was away for too long is gone", async () => {
    const states: BlobUploadState[] = [];
    const stop = new AbortController();
    const onState = (state: BlobUploadState) => {
      states.push(state);
      stop.abort(new Error("killed"));
    };
    const file = newFile(100);
    await expect(uploadBlob(device, file, { signal: stop.signal, onState })).rejects.toThrow("killed");
    relay.clock.advance(3_601);
    const [state] = states as [BlobUploadState];
    await expect(uploadBlob(device, file, { resume: state }).catch(reasonOf)).resolves.toBe("gone");
  });

  test("ends with the relay's refusal if there is no allowance", async () => {
    const huge = { size: 3_900_000_000, stream: () => new Blob([]).stream() };
    await expect(uploadBlob(device, huge)).rejects.toMatchObject({ error: "MESSAGE_TOO_LARGE" });
    await expect(uploadBlob(device, { ...huge, size: 5_000_000_000 })).rejects.toThrow(RangeError);
    await expect(uploadBlob(device, "text" as never)).rejects.toThrow(TypeError);
    await expect(uploadBlob(device, newFile(1), { lifetimeSeconds: 59 })).rejects.toThrow(TypeError);
  });
});

describe("a download", () => {
  test("goes on where a broken connection has left it", async () => {
    const file = newFile(5 * mebibyte);
    const { reference } = await uploadBlob(device, file, { maxDownloads: 1 });
    let cuts = 0;
    const before = proxy.answered();
    const onProgress = (done: number) => {
      if (done > (cuts + 1) * mebibyte && cuts < 3) {
        cuts++;
        proxy.cut();
      }
    };
    const found = await read(downloadBlob(reference, { onProgress, ...patient }));
    expect(cuts).toBe(3);
    expect(Buffer.from(found).equals(file)).toBe(true);
    expect(proxy.answered() - before).toBeLessThan(3 * file.length);
    await expect(read(downloadBlob(reference)).catch(reasonOf)).resolves.toBe("gone");
  });

  test("can be aborted, and cancelled, and then asks for nothing more", async () => {
    const { reference } = await uploadBlob(device, newFile(3 * mebibyte));
    const stop = new AbortController();
    const onProgress = () => stop.abort(new Error("enough"));
    await expect(read(downloadBlob(reference, { signal: stop.signal, onProgress }))).rejects.toThrow("enough");
    const reader = downloadBlob(reference).getReader();
    expect((await reader.read()).value).toHaveLength(64 * kibibyte);
    await reader.cancel();
    expect((await reader.read()).done).toBe(true);
  });

  test("hands over no byte of a blob that was changed", async () => {
    const file = newFile(150_000);
    const { reference } = await uploadBlob(device, file);
    const sealed = Buffer.from(await (await fetch(direct(reference).url)).arrayBuffer());
    const chunk = 64 * kibibyte + 16;
    const swapped = Buffer.concat([
      sealed.subarray(chunk, 2 * chunk),
      sealed.subarray(0, chunk),
      sealed.subarray(2 * chunk),
    ]);
    const flipped = Buffer.from(sealed);
    flipped[70_000] = (flipped[70_000] ?? 0) ^ 1;
    const wrongs: [string, Uint8Array, number][] = [
      ["a flipped bit", flipped, chunk - 16],
      ["swapped chunks", swapped, 0],
      ["a cut end", sealed.subarray(0, -1), 2 * (chunk - 16)],
      ["a cut chunk", sealed.subarray(0, 2 * chunk), 2 * (chunk - 16)],
      ["another byte", Buffer.concat([sealed, Buffer.from([0])]), 2 * (chunk - 16)],
    ];
    for (const [what, bytes, most] of wrongs) {
      const runtime = { fetch: async () => new Response(bytes as BufferSource), sleep: async () => {} };
      const reader = downloadBlob(reference, { runtime }).getReader();
      let handedOver = 0;
      const failure = await (async () => {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return undefined;
          expect(Buffer.from(value).equals(file.subarray(handedOver, handedOver + value.length))).toBe(true);
          handedOver += value.length;
        }
      })().catch((error: unknown) => error);
      expect([what, failure instanceof Error]).toEqual([what, true]);
      expect(handedOver).toBeLessThanOrEqual(most);
    }
  });

  test("fails at the end if the file is not the one of the reference", async () => {
    const { reference } = await uploadBlob(device, newFile(1000));
    const other = createHash("sha256").update("another file").digest("hex");
    const wrong = { ...reference, plaintext_hash: other };
    await expect(read(downloadBlob(wrong)).catch(reasonOf)).resolves.toBe("changed");
    const otherKey = { ...reference, key: "00".repeat(32) };
    await expect(read(downloadBlob(otherKey)).catch(reasonOf)).resolves.toBe("changed");
    await expect(read(downloadBlob({ ...reference, file_size: 999_999 })).catch(reasonOf)).resolves.toBe("changed");
  });

  test("calls only what may be the address of a blob", () => {
    const reference = {
      file_id: `${"ab".repeat(32)}:5b8f2d1e-3c4a-4f6b-9d7e-0a1b2c3d4e5f`,
      file_size: 10,
      plaintext_hash: "cd".repeat(32),
      url: `https://relay.example/v1/blobs/${"12".repeat(32)}`,
      key: "ef".repeat(32),
    };
    expect(readBlobReference(reference)).toEqual(reference);
    for (const url of [
      `http://relay.example/v1/blobs/${"12".repeat(32)}`,
      `https://user@relay.example/v1/blobs/${"12".repeat(32)}`,
      `https://relay.example/v1/blobs/${"12".repeat(32)}?x=1`,
      `https://relay.example/v1/messages/${"12".repeat(32)}`,
      "https://relay.example/v1/blobs/12",
      "file:///etc/passwd",
      "relative",
    ])
      expect(() => readBlobReference({ ...reference, url })).toThrow(MalformedError);
    for (const wrong of [
      { key: "ef" },
      { file_size: -1 },
      { file_size: 2 ** 40 },
      { file_size: "10" },
      { url: undefined },
    ])
      expect(() => readBlobReference({ ...reference, ...wrong })).toThrow(MalformedError);
  });
});
