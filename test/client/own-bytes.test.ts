// Bytes that the application gets can be transferred, cloned and kept without anything else that lay beside them in memory.

import { afterAll, beforeAll, expect, test } from "vitest";
import { downloadBlob } from "../../src/client/blobs/blob-download.js";
import { readBlobReference } from "../../src/client/blobs/blob-references.js";
import { uploadBlob } from "../../src/client/blobs/blob-upload.js";
import { epochKeysOf, openEnvelope, sealEnvelope } from "../../src/client/crypto/envelope.js";
import { newSecretKey } from "../../src/client/crypto/keys.js";
import { signCiphertext, signOnce } from "../../src/client/crypto/message-signatures.js";
import type { DeviceClient } from "../../src/client/device/client.js";
import { claimKeyPackages } from "../../src/client/keys/key-package-claims.js";
import { fetchKeyPackage, uploadKeyPackages } from "../../src/client/keys/key-packages.js";
import { openLinkingPayload, sealLinkingPayload } from "../../src/client/linking/linking-payload.js";
import { newLinkingKeys } from "../../src/client/linking/linking-qr.js";
import { decodeBase64 } from "../../src/protocol/encodings.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { newClient } from "./harness.js";

let relay: TestRelay;
let ada: DeviceClient;
let ben: DeviceClient;
beforeAll(async () => {
  relay = await startRelay();
  [ada, ben] = [await newClient(relay), await newClient(relay)];
});
afterAll(() => relay.stop());

const content = Uint8Array.of(1, 2, 3);

function expectOwn(bytes: Uint8Array | undefined, expected?: Uint8Array): void {
  expect(bytes?.constructor).toBe(Uint8Array);
  expect(bytes?.buffer.byteLength).toBe(bytes?.length);
  if (expected !== undefined) expect(bytes).toEqual(expected);
}

test.each(["stream", "poll"] as const)("a message that comes by %s", async (transport) => {
  const received: Uint8Array[] = [];
  const receiving = ben.receive({ transport, handle: ({ ciphertext }) => void received.push(ciphertext) });
  await ada.send({ to: ben.session()?.addresses[0] ?? "", ciphertext: content });
  await until(async () => received.length > 0, "a message is received");
  await receiving.stop();
  expectOwn(received[0], content);
});

test("a key package", async () => {
  const keyPackage = new Uint8Array(100).fill(5);
  await uploadKeyPackages(ben, [keyPackage]);
  expectOwn((await fetchKeyPackage(ada, ben.deviceId)).keyPackage, keyPackage);
});

test("a key package that is claimed by address", async () => {
  const keyPackage = new Uint8Array(100).fill(6);
  const address = ben.session()?.addresses[0] ?? "";
  await uploadKeyPackages(ben, [keyPackage], { address });
  const [claimed] = await claimKeyPackages(ada, [address]);
  expectOwn((claimed as { keyPackage: Uint8Array }).keyPackage, keyPackage);
});

test("each part of a file", async () => {
  const { reference } = await uploadBlob(ada, new Uint8Array(100_000).fill(9));
  const parts: Uint8Array[] = [];
  for await (const part of downloadBlob(readBlobReference(JSON.parse(JSON.stringify(reference))))) parts.push(part);
  expect(parts.reduce((sum, { length }) => sum + length, 0)).toBe(100_000);
  for (const part of parts) expectOwn(part);
});

test("what an envelope holds, and the envelope", async () => {
  const keys = await epochKeysOf((_, __, length) => new Uint8Array(length));
  const sealed = sealEnvelope(keys, content);
  expectOwn(sealed);
  expectOwn(openEnvelope(keys, sealed), content);
});

test("the payload of linking", () => {
  const { secretKey, publicKey } = newLinkingKeys();
  const provisioningAddress = "a@b";
  const { ciphertext } = sealLinkingPayload(content, { ephemeralPublicKey: publicKey, provisioningAddress });
  expectOwn(openLinkingPayload(ciphertext, { secretKey, provisioningAddress }).payloadAfterComparison(), content);
});

test("keys and signatures", async () => {
  expectOwn(newSecretKey());
  expectOwn(ada.keys.publicKey);
  expectOwn(await signOnce(content));
  expectOwn(signCiphertext(newSecretKey(), content));
});

test("base64 of any length", () => {
  for (const length of [0, 1, 3, 100, 4_095, 4_096, 10_000]) {
    const bytes = new Uint8Array(length).fill(7);
    expectOwn(decodeBase64(Buffer.from(bytes).toString("base64")), bytes);
  }
});
