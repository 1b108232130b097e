import {
  createApplicationMessage,
  createCommit,
  createGroup,
  defaultCapabilities,
  defaultLifetime,
  encodeMlsMessage,
  generateKeyPackage,
  getCiphersuiteFromName,
  getCiphersuiteImpl,
} from "ts-mls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { epochKeysOf } from "../../src/client/crypto/envelope.js";
import type { DeviceClient } from "../../src/client/device/client.js";
import type { IncomingMessage } from "../../src/client/messages/messages.js";
import { sealMessages, sendSealed } from "../../src/client/sealing/sealed-messages.js";
import { utf8 } from "../../src/protocol/encodings.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { listen, newClient } from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay();
});
afterAll(() => relay.stop());

const addressOf = (client: DeviceClient) => client.session()?.addresses.at(-1) ?? "";
const epoch = () => epochKeysOf((_, __, length) => crypto.getRandomValues(new Uint8Array(length)));

/** A group of one member, with one message of each kind that a member makes. */
async function groupMessages() {
  const suite = await getCiphersuiteImpl(getCiphersuiteFromName("MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519"));
  const identity = { credentialType: "basic", identity: utf8("Ada") } as const;
  const own = await generateKeyPackage(identity, defaultCapabilities(), defaultLifetime, [], suite);
  // Its length takes two bytes.
  const groupId = new Uint8Array(100).fill(7);
  const state = await createGroup(groupId, own.publicPackage, own.privatePackage, [], suite);
  const commit = async (wireAsPublicMessage: boolean) =>
    encodeMlsMessage((await createCommit({ state, cipherSuite: suite }, { wireAsPublicMessage })).commit);
  const { privateMessage } = await createApplicationMessage(state, utf8("typing"), suite);
  const text = encodeMlsMessage({ version: "mls10", wireformat: "mls_private_message", privateMessage });
  return { text, commits: [await commit(true), await commit(false)] };
}

test("an online-only message comes once, by the stream, and is in no queue", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  const got: IncomingMessage[] = [];
  const listener = listen(ben, { handle: (message) => void got.push(message) });
  await listener.until(({ statuses }) => statuses.at(-1)?.state === "empty");
  const { text } = await groupMessages();
  await ada.send({ to: addressOf(ben), ciphertext: text, expiresInSeconds: 0 });
  const sealed = { to: [addressOf(ben)], content: text, keys: await epoch(), expiresInSeconds: 0 };
  await sendSealed(ada, await sealMessages(sealed, ada.connection));
  await expect.poll(() => got.map(({ online }) => online)).toEqual([true, true]);
  expect(got[0]?.ciphertext).toEqual(text);
  expect((await ben.poll()).messages).toEqual([]);
  await ada.send({ to: addressOf(ben), ciphertext: text, expiresInSeconds: 60 });
  await expect.poll(() => got.map(({ online }) => online)).toEqual([true, true, undefined]);
});

test("a commit gets no lifetime, alone, in a group or sealed", async () => {
  const ada = await newClient(relay);
  const to = addressOf(ada);
  const { text, commits } = await groupMessages();
  for (const ciphertext of commits) {
    for (const expiresInSeconds of [0, 3_600]) {
      const refusal = /a commit may have no lifetime/;
      await expect(ada.send({ to, ciphertext, expiresInSeconds })).rejects.toThrow(refusal);
      await expect(ada.sendToGroup({ to: [to], ciphertext, expiresInSeconds })).rejects.toThrow(refusal);
      const sealing = sealMessages(
        { to: [to], content: ciphertext, keys: await epoch(), expiresInSeconds },
        ada.connection,
      );
      await expect(sealing).rejects.toThrow(refusal);
    }
    await ada.send({ to, ciphertext });
  }
  await ada.send({ to, ciphertext: text, expiresInSeconds: 3_600 });
  // What only begins like an MLSMessage, and ends early, is none.
  for (const end of [1, 4, 5, 50]) await ada.send({ to, ciphertext: text.slice(0, end), expiresInSeconds: 60 });
  expect((await ada.poll()).messages).toHaveLength(7);
});

test("a relay that knows no lifetimes gets no message with one", async () => {
  const runtime = {
    async fetch(address: string | URL | Request, init?: RequestInit) {
      const response = await fetch(address, init);
      if (new URL(String(address)).pathname !== "/.well-known/svc") return response;
      const document = (await response.json()) as { capabilities: object };
      return Response.json({ ...document, capabilities: { ...document.capabilities, message_lifetime: false } });
    },
  };
  const ada = await newClient(relay, { runtime });
  const message = { to: addressOf(ada), ciphertext: utf8("x"), expiresInSeconds: 60 };
  await expect(ada.send(message)).rejects.toThrow("the relay does not support lifetimes of messages");
});
