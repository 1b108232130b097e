import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Envelope } from "../../src/messages/model/types.js";
import type { FixtureDevice } from "../messages/fixture.js";
import { tableOf } from "../support/table.js";
import { createOutboxFixture, type OutboxFixture, type OutboxNode, remote } from "./outbox-fixture.js";
import { answer, createScriptedPeer } from "./scripted-peer.js";

// Messages with one id that are sent at the same time, of which the outbox refuses some. Calls of one turn of the event loop
// share a flush.

const room = 2;
let fixture: OutboxFixture;
let node: OutboxNode;
let sender: FixtureDevice;
let full: ReturnType<typeof remote>;
let count = 0;

beforeAll(async () => {
  fixture = await createOutboxFixture();
  const peer = createScriptedPeer();
  peer.behave = () => answer(503, {});
  node = await fixture.node({ calls: peer, config: { outboxUnreachedMessages: room } });
});
beforeEach(async () => {
  sender = await fixture.mailboxes.device({ custom_limit: 1000 });
  full = remote(`full${count++}.test`);
  const envelopes = Array.from({ length: room }, () => fixture.mailboxes.envelope(full, { domain: full.domain }));
  expect((await accept(envelopes)).every((outcome) => "status" in outcome)).toBe(true);
});
afterAll(async () => {
  await node.stop();
  await fixture.stop();
});

const accept = (envelopes: Envelope[]) => node.mailbox.accept({ kind: "device", deviceId: sender.deviceId }, envelopes);
const waitingFor = (address: { prefix: string }) =>
  tableOf(fixture.mailboxes.db, "outbox").where({ recipient: address.prefix }).select("message_id");
const newContent = () => {
  const { messageId, ciphertext, senderSignature, timestamp } = fixture.mailboxes.envelope(sender);
  return { messageId, mlsCiphertext: ciphertext, senderSignature, timestamp, systemEvent: null };
};
const statusOf = (sending: Promise<string>) => sending.catch((error) => error.id);
const sendToAll = (content: ReturnType<typeof newContent>, to: { address: string }[]) => {
  const recipients = to.map(({ address }) => address);
  return statusOf(
    node.mailbox
      .sendToMany(sender.deviceId, { ...content, recipients, allOrNothing: true })
      .then((sent) => sent.recipients.map((one) => ("status" in one ? one.status : one.error.id)).join()),
  );
};
const sendOne = (content: ReturnType<typeof newContent>, { address }: { address: string }) =>
  statusOf(
    node.mailbox
      .send(sender.deviceId, { ...content, recipientAddress: address })
      .then(({ status }) => status as string),
  );

describe("what the outbox refuses", () => {
  it("is refused for its repetition in the same flush as well", async () => {
    const refused = fixture.mailboxes.envelope(full, { domain: full.domain });
    const outcomes = await accept([refused, refused, refused]);
    expect(outcomes.map((outcome) => ("error" in outcome ? outcome.error : outcome.status))).toEqual(
      Array(3).fill("QUEUE_FULL"),
    );
  });

  it("as a whole leaves messages of the same id alone", async () => {
    const [one, other] = [remote(`one${count}.test`), remote(`other${count}.test`)];
    const content = newContent();
    const sent = [
      sendToAll(content, [one, full]),
      sendOne(content, one),
      sendToAll(content, [other, one]),
      sendToAll(content, [full, other]),
    ];
    expect(await Promise.all(sent)).toEqual(["QUEUE_FULL", "federated", "federated,federated", "QUEUE_FULL"]);
    expect([(await waitingFor(one)).length, (await waitingFor(other)).length]).toEqual([1, 1]);
  });

  it("as a whole counts as misses, and not as messages", async () => {
    const to = [remote(`one${count}.test`), full];
    expect(await sendToAll(newContent(), to)).toBe("QUEUE_FULL");
    const [window] = await tableOf(fixture.mailboxes.db, "sending_windows").where({ device_id: sender.deviceId });
    expect(window).toMatchObject({ count: room, misses_count: 1 });
  });
});
