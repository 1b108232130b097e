import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectAdmin } from "../../src/client/admin.js";
import { connect } from "../../src/client/connection/connection.js";
import { deviceKeysOf, newSecretKey } from "../../src/client/crypto/keys.js";
import { signCiphertext, signOnce, verifyCiphertext } from "../../src/client/crypto/message-signatures.js";
import { connectDevice, type DeviceClient } from "../../src/client/device/client.js";
import { openIdentity } from "../../src/client/infopackages/info-packages.js";
import { fetchShared, share } from "../../src/client/infopackages/share.js";
import { claimKeyPackages } from "../../src/client/keys/key-package-claims.js";
import { fetchKeyPackage, keepKeyPackages, uploadKeyPackages } from "../../src/client/keys/key-packages.js";
import { answerLinking, beginLinking } from "../../src/client/linking/linking-exchange.js";
import { runtimeWith } from "../../src/client/runtime/runtime.js";
import { startRelay, type TestRelay } from "../support/relay.js";

// What a program in JavaScript can pass. Nothing of it may reach the relay, or cost a proof, a key package or a use.
type Wrong = never;
const wrong = (value: unknown): Wrong => value as Wrong;

let relay: TestRelay;
let device: DeviceClient;
let requests = 0;
const { fetch } = runtimeWith();
const runtime = {
  fetch: (url: string, init: RequestInit) => {
    requests++;
    return fetch(url, init);
  },
};

beforeAll(async () => {
  relay = await startRelay();
  const connection = { url: relay.url, domain: relay.config.domain, runtime };
  device = await connectDevice({ ...connection, keys: deviceKeysOf(newSecretKey()) });
  await device.register({ admission: { by: "nothing" } });
});
afterAll(() => relay?.stop());

/** Rejects or throws a TypeError with this text, and sends nothing. */
async function expectRefused(call: () => unknown, text: string | RegExp): Promise<void> {
  const before = requests;
  const failure = await (async () => call())().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(failure).toBeInstanceOf(TypeError);
  expect((failure as Error).message).toMatch(text);
  expect(requests).toBe(before);
}

const bytes = (length: number) => new Uint8Array(length);
const address = "0b8f1c52-6f0e-4a55-9d0a-1d3a1f6a7f10@relay.test";
const good = { to: address, ciphertext: bytes(8), signature: bytes(64) };

describe("a wrong argument is refused before anything is spent:", () => {
  test("keys", async () => {
    await expectRefused(
      () => deviceKeysOf(bytes(31)),
      "secretKey must be a Uint8Array of 32 bytes, not a Uint8Array of 31",
    );
    await expectRefused(() => deviceKeysOf(wrong("00".repeat(32))), "not a string of 64 characters");
    await expectRefused(() => signCiphertext(bytes(64), bytes(1)), "secretKey must be a Uint8Array of 32 bytes");
    await expectRefused(() => signCiphertext(bytes(32), wrong("text")), "ciphertext must be a Uint8Array");
    await expectRefused(() => signOnce(bytes(0)), "ciphertext must be a Uint8Array with at least one byte");
    const message = { ciphertext: bytes(1), senderSignature: "00".repeat(64) };
    await expectRefused(
      () => verifyCiphertext(wrong(undefined), message),
      "publicKey must be a Uint8Array of 32 bytes, not undefined",
    );
  });

  test("the options of a connection", async () => {
    const keys = deviceKeysOf(newSecretKey());
    const options = { url: relay.url, domain: relay.config.domain, runtime, keys };
    await expectRefused(() => connectDevice(wrong(undefined)), "options must be an object, not undefined");
    await expectRefused(
      () => connect({ ...options, url: "relay.example" }),
      "url must be an address that begins with https",
    );
    await expectRefused(() => connectDevice({ ...options, keys: wrong(newSecretKey()) }), "keys must be an object");
    const other = { ...keys, deviceId: "ab".repeat(32) };
    await expectRefused(
      () => connectDevice({ ...options, keys: other }),
      "keys.deviceId must be the id of keys.publicKey",
    );
    await expectRefused(
      () => connectAdmin({ ...options, keys: other }),
      "keys.deviceId must be the id of keys.publicKey",
    );
    await expectRefused(() => connectDevice({ ...options, session: wrong("token") }), "session must be an object");
    await expectRefused(() => connectDevice({ ...options, onSession: wrong({}) }), "onSession must be a function");
    await expectRefused(
      () => connect({ ...options, runtime: wrong({ fetch: 1 }) }),
      "runtime.fetch must be a function",
    );
  });

  test("what a device announces, before it asks for a challenge", async () => {
    await expectRefused(() => device.register({ admission: wrong("proof") }), "admission must be an object");
    await expectRefused(
      () => device.register({ admission: wrong({ by: "luck" }) }),
      "admission.by must be one of proof",
    );
    await expectRefused(
      () => device.register({ admission: wrong({ by: "invite" }) }),
      "admission.code must be a string",
    );
    await expectRefused(() => device.announce(wrong("abc")), "prefixes must be an array of 1 to 10 items");
    await expectRefused(() => device.announce(["0".repeat(32), "home"]), /^prefixes\[1\] must be 16 bytes as a UUID/);
    await expectRefused(() => device.announce(Array(11).fill("0".repeat(32))), "not an array of 11 items");
  });

  test("messages", async () => {
    await expectRefused(() => device.send(wrong("hello")), "message must be an object");
    await expectRefused(() => device.send({ ...good, to: "ada" }), "message.to must be an address, <prefix>@<domain>");
    await expectRefused(
      () => device.send({ ...good, ciphertext: wrong("hello") }),
      "message.ciphertext must be a Uint8Array",
    );
    await expectRefused(() => device.send({ ...good, ciphertext: bytes(0) }), "with at least one byte");
    await expectRefused(
      () => device.send({ ...good, signature: bytes(32) }),
      "message.signature must be a Uint8Array of 64 bytes",
    );
    await expectRefused(() => device.send({ ...good, messageId: "1" }), "message.messageId must be a UUIDv7");
    await expectRefused(() => device.send({ ...good, timestamp: 1.5 }), "message.timestamp must be a whole number");
    await expectRefused(() => device.sendBatch([]), "messages must be an array of 1 to 100 items");
    await expectRefused(() => device.sendBatch([good, wrong(null)]), /^messages\[1\] must be an object, not null/);
    await expectRefused(() => device.acknowledge(wrong("id")), "messageIds must be an array");
  });

  test("what listens", async () => {
    await expectRefused(() => device.receive(wrong({})), "handle must be a function, not undefined");
    const handle = () => undefined;
    await expectRefused(
      () => device.receive({ handle, transport: wrong("pigeon") }),
      "transport must be one of stream, poll",
    );
    await expectRefused(() => device.receive({ handle, pingSeconds: -1 }), "pingSeconds must be a number from 0");
  });

  test("key packages, none of which is taken", async () => {
    await uploadKeyPackages(device, [bytes(100).fill(1), bytes(100).fill(2)]);
    await expectRefused(() => fetchKeyPackage(device, "ada"), "deviceId must be a device id, 64 hex digits");
    await expectRefused(() => fetchKeyPackage(wrong({}), device.deviceId), "device must be a connected client");
    await expectRefused(() => uploadKeyPackages(device, wrong(bytes(100))), "keyPackages must be an array of 1 to 100");
    await expectRefused(() => uploadKeyPackages(device, [wrong("x")]), /^keyPackages\[0\] must be a Uint8Array/);
    await expectRefused(() => keepKeyPackages(device, wrong({})), "make must be a function");
    await expectRefused(
      () => uploadKeyPackages(device, [bytes(100)], { address: "ada" }),
      "address must be an address",
    );
    await expectRefused(() => claimKeyPackages(device, ["ada"]), "addresses[0] must be an address");
    await expectRefused(() => claimKeyPackages(device, []), "addresses must be an array");
    await expectRefused(
      () => claimKeyPackages(device, [address], { claimId: bytes(31) }),
      "claimId must be a Uint8Array",
    );
    expect((await device.call("getKeyPackageStatus")).available_count).toBe(2);
  });

  test("linking and sharing", async () => {
    await expectRefused(() => beginLinking(wrong(device)), "connection must be a connection; that of a device is its");
    await expectRefused(() => beginLinking(device.connection, 5), "ttlSeconds must be a whole number from 30 to 300");
    await expectRefused(
      () => answerLinking(device, { qr: "{}", payload: wrong("text") }),
      "payload must be a Uint8Array",
    );
    const content = wrong({ group_id: "g" });
    await expectRefused(
      () => share(device, content, { displayName: "", ttlSeconds: 60 }),
      "displayName must be a string",
    );
    await expectRefused(
      () => share(device, content, { displayName: "x", ttlSeconds: 59 }),
      "ttlSeconds must be a whole number",
    );
    const found = { url: `${relay.url}/i/abc`, key: bytes(32), packageType: "identity" as const };
    await expectRefused(
      () => fetchShared({ ...found, key: bytes(16) }, runtime),
      "info.key must be a Uint8Array of 32",
    );
    await expectRefused(
      () => fetchShared({ ...found, packageType: wrong("cat") }, runtime),
      "info.packageType must be one of",
    );
    await expectRefused(() => openIdentity("AAAA", bytes(31)), "key must be a Uint8Array of 32 bytes");
  });

  test("calls of operations", async () => {
    await expectRefused(
      () => device.call(wrong("sendMail")),
      "operation must be the id of an operation of the contract",
    );
    await expectRefused(() => device.call("getInfoPackage", wrong({ path: {} })), "path.url_segment must be a string");
    await expectRefused(() => device.call("pollMessages", wrong({ params: { limit: 1 } })), "but no params");
  });
});

test("an error does not contain the value, which may be a key", () => {
  const secret = "correct horse battery staple";
  expect(() => deviceKeysOf(wrong(secret))).toThrow(TypeError);
  expect(() => deviceKeysOf(wrong(secret))).not.toThrow(secret);
});

test("bytes of Node.js and of another realm are bytes", async () => {
  const { runInNewContext } = await import("node:vm");
  expect(deviceKeysOf(Buffer.alloc(32, 1)).deviceId).toBe(deviceKeysOf(bytes(32).fill(1)).deviceId);
  const foreign = runInNewContext("new Uint8Array(64)");
  await expect(device.send({ ...good, signature: foreign })).rejects.toMatchObject({ error: "ADDRESS_NOT_FOUND" });
});
