import { DhkemX448HkdfSha512 } from "@hpke/core";
import {
  type CiphersuiteName,
  defaultCapabilities,
  defaultLifetime,
  generateKeyPackage,
  getCiphersuiteFromName,
  getCiphersuiteImpl,
} from "ts-mls";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { epochKeysOf, openEnvelope, sealEnvelope } from "../../src/client/crypto/envelope.js";
import { isSignedInEpoch } from "../../src/client/crypto/message-signatures.js";
import type { DeviceClient } from "../../src/client/device/client.js";
import {
  RejectedError,
  sealMessages,
  sealWelcomeMessage,
  sendSealed,
} from "../../src/client/sealing/sealed-messages.js";
import { type OwnKeyPackage, openWelcome, sealWelcome } from "../../src/client/sealing/sealed-welcomes.js";
import { decodeBase64, decodeHex, utf8 } from "../../src/protocol/encodings.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { newClient } from "./harness.js";
// Made with the X-Wing of @noble/post-quantum 0.7.1 and with HPKE written from RFC 9180.
import fromElsewhere from "./x-wing.json" with { type: "json" };

const welcome = utf8("an MLS Welcome");
let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
});
afterAll(() => relay.stop());

const addressOf = (client: DeviceClient) => client.session()?.addresses.at(-1) ?? "";
const epoch = () => epochKeysOf((_, __, length) => crypto.getRandomValues(new Uint8Array(length)));

test("each recipient gets another id, other bytes and another signature, which members can check", async () => {
  const [ada, ben, cleo] = [await newClient(relay), await newClient(relay), await newClient(relay)];
  const keys = await epoch();
  const to = [ben, cleo].map(addressOf);
  const messages = await sealMessages({ to, content: utf8("hello"), keys }, ada.connection);
  const statuses = await sendSealed(ada, messages);
  expect(statuses.map(({ status }) => status)).toEqual(["queued", "queued"]);
  // A repetition after a lost answer is the same messages, so nobody gets one twice.
  await sendSealed(ada, messages);
  const received = (await Promise.all([ben.poll(), cleo.poll()])).flatMap(({ messages: page }) => page);
  expect(received).toHaveLength(2);
  for (const name of ["message_id", "mls_ciphertext", "sender_signature"] as const)
    expect(new Set(received.map((message) => message[name])).size, name).toBe(2);
  for (const { timestamp, mls_ciphertext: text, sender_signature: senderSignature } of received) {
    const ciphertext = decodeBase64(text) as Uint8Array;
    expect(timestamp % 60).toBe(0);
    expect(openEnvelope(keys, ciphertext)).toEqual(utf8("hello"));
    expect(isSignedInEpoch(keys, { ciphertext, senderSignature })).toBe(true);
  }
});

test("more messages than a request may have go in several, and each has a status", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  const nowhere = `${"0".repeat(32)}@relay.test`;
  const to = [...Array.from({ length: 210 }, () => nowhere), addressOf(ben)];
  const messages = await sealMessages({ to, content: utf8("hello"), keys: await epoch() }, ada.connection);
  const rejected: unknown = await sendSealed(ada, messages).catch((failure: unknown) => failure);
  if (!(rejected instanceof RejectedError)) throw new Error("rejections must be told");
  expect(rejected.message).toBe("the relay has rejected 210 of 211 messages: ADDRESS_NOT_FOUND");
  expect(rejected.rejected.map(({ message }) => message)).toEqual(messages.slice(0, 210));
  const { statuses } = rejected;
  expect(statuses.map(({ message_id: id }) => id)).toEqual(messages.map(({ messageId }) => messageId));
  expect(statuses.map(({ status }) => status)).toEqual(to.map((one) => (one === nowhere ? "rejected" : "queued")));
});

test("sealed messages to a group count as much as one message to many, whoever gets several", async () => {
  const limited = await startRelay({ seeds: { SEED_PROGRESSIVE_TRUST_ENABLED: "false" } });
  onTestFinished(() => limited.stop());
  const [ada, ben, cleo, dora] = await Promise.all([1, 2, 3, 4].map(() => newClient(limited)));
  if (!ada || !ben || !cleo || !dora) throw new Error("four devices are needed");
  const left = async () => (await ada.limits()).limits.find(({ name }) => name === "messages")?.remaining ?? Number.NaN;
  const first = await left();
  const keys = await epoch();
  const seal = (to: readonly DeviceClient[]) =>
    sealMessages({ to: to.map(addressOf), content: utf8("hello"), keys }, ada.connection);
  await ada.sendToGroup({ to: [ben, cleo, dora].map(addressOf), ciphertext: utf8("linkable") });
  expect(first - (await left())).toBe(1);
  await sendSealed(ada, await seal([ben, cleo, dora]));
  expect(first - (await left())).toBe(2);
  // Two messages for the same members are two.
  await sendSealed(ada, [...(await seal([ben, cleo, dora])), ...(await seal([ben, cleo, dora]))]);
  expect(first - (await left())).toBe(4);
  expect((await dora.poll()).messages).toHaveLength(4);
});

test("to nobody, nothing is sealed or sent", async () => {
  const ada = await newClient(relay);
  const nothing = await sealMessages({ to: [], content: utf8("hello"), keys: await epoch() }, ada.connection);
  expect(nothing).toEqual([]);
  expect(await sendSealed(ada, nothing)).toEqual([]);
});

test("requests stay below the limit of bytes", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  const content = new Uint8Array(6 * 1024 * 1024).fill(1);
  const messages = await sealMessages(
    { to: [addressOf(ben), addressOf(ben), addressOf(ben)], content, keys: await epoch() },
    ada.connection,
  );
  expect((await sendSealed(ada, messages)).map(({ status }) => status)).toEqual(["queued", "queued", "queued"]);
});

test("a Welcome goes to one joiner, who opens it with the package that it was made for", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  const packages = await Promise.all([1, 2, 3].map(() => newPackage("MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519")));
  const recipient = packages[1] as (typeof packages)[number];
  const message = await sealWelcomeMessage({ to: addressOf(ben), recipient, welcome }, ada.connection);
  await sendSealed(ada, [message]);
  const [received] = (await ben.poll()).messages;
  const ciphertext = decodeBase64(received?.mls_ciphertext ?? "") as Uint8Array;
  expect(ciphertext).toHaveLength(512);
  expect(await openWelcome(packages, ciphertext)).toEqual({ welcome, keyPackage: recipient });
  expect(await openWelcome([packages[0] as OwnKeyPackage], ciphertext)).toBeUndefined();
});

test("a Welcome to a key package of X-Wing passes the relay, beside one of X25519", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  const hybrid = await newPackage("MLS_256_XWING_AES256GCM_SHA512_Ed25519");
  const packages = [await newPackage("MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519"), hybrid];
  const sealing = packages.map((recipient) =>
    sealWelcomeMessage({ to: addressOf(ben), recipient, welcome }, ada.connection),
  );
  await sendSealed(ada, await Promise.all(sealing));
  const received = (await ben.poll()).messages.map(({ mls_ciphertext: text }) => decodeBase64(text) as Uint8Array);
  const opened = await Promise.all(received.map((ciphertext) => openWelcome(packages, ciphertext)));
  expect(opened).toEqual(packages.map((keyPackage) => ({ welcome, keyPackage })));
  expect(await Promise.all(received.map((ciphertext) => openWelcome([hybrid], ciphertext)))).toEqual([
    undefined,
    { welcome, keyPackage: hybrid },
  ]);
});

const cipherSuites: [number, CiphersuiteName][] = [
  [1, "MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519"],
  [2, "MLS_128_DHKEMP256_AES128GCM_SHA256_P256"],
  [3, "MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_Ed25519"],
  [5, "MLS_256_DHKEMP521_AES256GCM_SHA512_P521"],
  [7, "MLS_256_DHKEMP384_AES256GCM_SHA384_P384"],
  [83, "MLS_256_XWING_AES256GCM_SHA512_Ed25519"],
  [84, "MLS_256_XWING_CHACHA20POLY1305_SHA512_Ed25519"],
];

test.each(cipherSuites)("a Welcome is sealed to a key package of suite %i, as ts-mls makes it: %s", async (_, name) => {
  const keyPackage = await newPackage(name);
  const sealed = await sealWelcome(keyPackage, welcome);
  const opened = (await openWelcome([keyPackage], sealed))?.welcome;
  expect(opened).toEqual(welcome);
  expect([opened, sealed].map((bytes) => bytes?.buffer.byteLength)).toEqual([welcome.length, sealed.length]);
  sealed[sealed.length - 1] = (sealed.at(-1) as number) ^ 1;
  expect(await openWelcome([keyPackage], sealed)).toBeUndefined();
});

test.each([4, 6])("a Welcome is sealed to a key package of suite %i, whose key is of X448", async (cipherSuite) => {
  const kem = new DhkemX448HkdfSha512();
  const { publicKey, privateKey } = await kem.generateKeyPair();
  const initKey = new Uint8Array(await kem.serializePublicKey(publicKey));
  const initPrivateKey = new Uint8Array(await kem.serializePrivateKey(privateKey));
  const sealed = await sealWelcome({ cipherSuite, initKey }, welcome);
  expect((await openWelcome([{ cipherSuite, initPrivateKey }], sealed))?.welcome).toEqual(welcome);
});

test.each(
  fromElsewhere,
)("a Welcome that another implementation of X-Wing sealed opens, and the other way around", async ({
  cipher_suite: cipherSuite,
  init_private_key: privateKey,
  init_key: initKey,
  sealed,
}) => {
  const keyPackage = { cipherSuite, initPrivateKey: decodeHex(privateKey) as Uint8Array };
  const foreign = decodeBase64(sealed) as Uint8Array;
  expect((await openWelcome([keyPackage], foreign))?.welcome).toEqual(welcome);
  const own = await sealWelcome({ cipherSuite, initKey: decodeBase64(initKey) as Uint8Array }, welcome);
  expect(own).toHaveLength(foreign.length);
  expect((await openWelcome([keyPackage], own))?.welcome).toEqual(welcome);
});

test("a key package of X-Wing with a signature of ML-DSA has the same KEM", async () => {
  const [{ init_key: initKey, init_private_key: privateKey }] = fromElsewhere as [(typeof fromElsewhere)[number]];
  for (const cipherSuite of [87, 88]) {
    const sealed = await sealWelcome({ cipherSuite, initKey: decodeBase64(initKey) as Uint8Array }, welcome);
    const keyPackage = { cipherSuite, initPrivateKey: decodeHex(privateKey) as Uint8Array };
    expect((await openWelcome([keyPackage], sealed))?.welcome).toEqual(welcome);
  }
});

test("what is no Welcome does not open, and unknown suites are named", async () => {
  const keyPackage = await newPackage("MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519");
  expect(await openWelcome([keyPackage], sealEnvelope(await epoch(), welcome))).toBeUndefined();
  expect(await openWelcome([keyPackage], welcome)).toBeUndefined();
  await expect(sealWelcome({ ...keyPackage, cipherSuite: 8 }, welcome)).rejects.toThrow(
    "recipient.cipherSuite must be the number of an MLS cipher suite: 1 to 7, 83, 84, 87 or 88, not the number 8",
  );
});

async function newPackage(name: CiphersuiteName) {
  const suite = await getCiphersuiteImpl(getCiphersuiteFromName(name));
  const { publicPackage, privatePackage } = await generateKeyPackage(
    { credentialType: "basic", identity: utf8("Ben") },
    defaultCapabilities(),
    defaultLifetime,
    [],
    suite,
  );
  const cipherSuite = cipherSuites.find(([, one]) => one === name)?.[0] ?? 0;
  return { cipherSuite, initKey: publicPackage.initKey, initPrivateKey: privatePackage.initPrivateKey };
}
