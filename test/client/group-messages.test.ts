import { afterAll, beforeAll, expect, test } from "vitest";
import { newSecretKey } from "../../src/client/crypto/keys.js";
import { signCiphertext, verifyCiphertext } from "../../src/client/crypto/message-signatures.js";
import type { DeviceClient } from "../../src/client/device/client.js";
import type { GroupMessage } from "../../src/client/messages/group-messages.js";
import type { Runtime } from "../../src/client/runtime/runtime.js";
import { publicKeyOf } from "../../src/protocol/signature.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { newClient } from "./harness.js";

const nowhere = `${"0".repeat(32)}@relay.test`;
const key = newSecretKey();
let relay: TestRelay;
let members: DeviceClient[];

beforeAll(async () => {
  relay = await startRelay({ seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
  members = [];
  for (let i = 0; i < 3; i++) members.push(await newClient(relay));
});
afterAll(() => relay.stop());

const addressOf = (client: DeviceClient) => client.session()?.addresses.at(-1) ?? "";
function draft(more: Partial<GroupMessage> = {}): GroupMessage {
  const ciphertext = new TextEncoder().encode("for all of you");
  return { to: members.map(addressOf), ciphertext, signature: signCiphertext(key, ciphertext), ...more };
}

/** Records the operations that a client calls. `limit` replaces the relay's limit of recipients in its discovery document. */
function watched({ limit = 1_000 } = {}): { runtime: Partial<Runtime>; paths: string[] } {
  const paths: string[] = [];
  const runtime: Partial<Runtime> = {
    async fetch(address, init) {
      const { pathname } = new URL(String(address));
      paths.push(pathname);
      const response = await fetch(address, init);
      if (pathname !== "/.well-known/svc") return response;
      const document = (await response.json()) as { capabilities: Record<string, unknown> };
      return Response.json({
        ...document,
        capabilities: { ...document.capabilities, max_message_recipients: limit },
      });
    },
  };
  return { runtime, paths };
}

test("a message to a group goes in one request", async () => {
  const { runtime, paths } = watched();
  const sender = await newClient(relay, { runtime });
  paths.splice(0);
  const to = [...members.map(addressOf), nowhere];
  const { messageId, recipients } = await sender.sendToGroup(draft({ to }));
  await sender.sendToGroup(draft({ to, messageId }));
  expect(paths).toEqual(["/.well-known/svc", "/v1/messages/multi", "/v1/messages/multi"]);
  expect(recipients).toEqual([
    ...members.map((member) => ({ recipient_address: addressOf(member), status: "queued" })),
    { recipient_address: nowhere, status: "rejected", error: "ADDRESS_NOT_FOUND", code: 4003 },
  ]);
  for (const member of members) {
    const { messages } = await member.poll();
    expect(messages.map(({ message_id }) => message_id)).toEqual([messageId]);
    const [received] = messages;
    const ciphertext = Buffer.from(received?.mls_ciphertext ?? "", "base64");
    const signed = { ciphertext, senderSignature: received?.sender_signature ?? "" };
    expect(verifyCiphertext(publicKeyOf(key), signed)).toBe(true);
    await member.acknowledge([messageId]);
  }
});

test("more recipients than a request takes go in several, under one id", async () => {
  const { runtime, paths } = watched({ limit: 100 });
  const sender = await newClient(relay, { runtime });
  paths.splice(0);
  const to = [...Array.from({ length: 230 }, () => nowhere), ...members.map(addressOf)];
  const { messageId, recipients } = await sender.sendToGroup(draft({ to }));
  expect(paths).toEqual(["/.well-known/svc", ...Array.from({ length: 3 }, () => "/v1/messages/multi")]);
  expect(recipients.map(({ recipient_address }) => recipient_address)).toEqual(to);
  for (const member of members) {
    expect((await member.poll()).messages.map(({ message_id }) => message_id)).toEqual([messageId]);
    await member.acknowledge([messageId]);
  }
});

test("all or nothing is refused where the relay cannot promise it", async () => {
  const sender = await newClient(relay, { runtime: watched({ limit: 2 }).runtime });
  await expect(sender.sendToGroup(draft({ allOrNothing: true }))).rejects.toThrow("at most 2 messages all or nothing");
  const able = await newClient(relay);
  const { recipients } = await able.sendToGroup(draft({ allOrNothing: true }));
  expect(recipients.map(({ status }) => status)).toEqual(members.map(() => "queued"));
  const tooMany = draft({ allOrNothing: true, to: Array.from({ length: 1001 }, () => nowhere) });
  await expect(able.sendToGroup(tooMany)).rejects.toThrow("at most 1000");
});
