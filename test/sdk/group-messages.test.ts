import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { publicKeyOf } from "../../src/protocol/signature.js";
import type { DeviceClient } from "../../src/sdk/client.js";
import type { GroupMessage } from "../../src/sdk/group-messages.js";
import { newSecretKey } from "../../src/sdk/keys.js";
import { signCiphertext, verifyCiphertext } from "../../src/sdk/message-signatures.js";
import type { Runtime } from "../../src/sdk/runtime.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { newClient } from "./harness.js";

vi.setConfig({ testTimeout: 60_000 });

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

/** Records the operations that a client calls, and lets the relay look like one of an earlier version. */
function watched({ hides = false } = {}): { runtime: Partial<Runtime>; paths: string[] } {
  const paths: string[] = [];
  const runtime: Partial<Runtime> = {
    async fetch(address, init) {
      const { pathname } = new URL(String(address));
      paths.push(pathname);
      const response = await fetch(address, init);
      if (!hides || pathname !== "/.well-known/svc") return response;
      const document = (await response.json()) as { capabilities: Record<string, unknown> };
      delete document.capabilities["max_message_recipients"];
      return Response.json(document);
    },
  };
  return { runtime, paths };
}

test.each([
  ["one request where the relay takes it", false, "/v1/messages/multi"],
  ["batches where it does not", true, "/v1/messages/batch"],
])("a message to a group goes in %s", async (_, hides, path) => {
  const { runtime, paths } = watched({ hides });
  const sender = await newClient(relay, { runtime });
  paths.splice(0);
  const to = [...members.map(addressOf), nowhere];
  const { messageId, recipients } = await sender.sendToGroup(draft({ to }));
  await sender.sendToGroup(draft({ to, messageId }));
  expect(paths).toEqual(["/.well-known/svc", path, path]);
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
  const { runtime, paths } = watched({ hides: true });
  const sender = await newClient(relay, { runtime });
  paths.splice(0);
  const to = [...Array.from({ length: 230 }, () => nowhere), ...members.map(addressOf)];
  const { messageId, recipients } = await sender.sendToGroup(draft({ to }));
  expect(paths).toEqual(["/.well-known/svc", ...Array.from({ length: 3 }, () => "/v1/messages/batch")]);
  expect(recipients.map(({ recipient_address }) => recipient_address)).toEqual(to);
  for (const member of members) {
    expect((await member.poll()).messages.map(({ message_id }) => message_id)).toEqual([messageId]);
    await member.acknowledge([messageId]);
  }
});

test("all or nothing is refused where the relay cannot promise it", async () => {
  const sender = await newClient(relay, { runtime: watched({ hides: true }).runtime });
  await expect(sender.sendToGroup(draft({ allOrNothing: true }))).rejects.toThrow("all or nothing");
  const able = await newClient(relay);
  const { recipients } = await able.sendToGroup(draft({ allOrNothing: true }));
  expect(recipients.map(({ status }) => status)).toEqual(members.map(() => "queued"));
  const tooMany = draft({ allOrNothing: true, to: Array.from({ length: 1001 }, () => nowhere) });
  await expect(able.sendToGroup(tooMany)).rejects.toThrow("at most 1000");
});
