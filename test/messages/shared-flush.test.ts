import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Envelope } from "../../src/messages/model/types.js";
import { createMessagesFixture, type FixtureDevice, type MessagesFixture, type MessagesNode } from "./fixture.js";

// Messages with one id that are sent to one recipient at the same time. Calls of one turn of the event loop share a flush.

let fixture: MessagesFixture;
let node: MessagesNode;
beforeAll(async () => {
  fixture = await createMessagesFixture({ storage: { message_queue_limit: 5 } });
  node = await fixture.node();
});
afterAll(() => fixture.stop());

const addressOf = ({ prefix }: FixtureDevice) => `${prefix}@relay.test`;

async function fullDevice(): Promise<FixtureDevice> {
  const [device, sender] = [await fixture.device(), await fixture.device()];
  const envelopes = Array.from({ length: 5 }, () => fixture.envelope(device));
  await node.messages.accept({ kind: "device", deviceId: sender.deviceId }, envelopes);
  return device;
}

function contentOf({ messageId, ciphertext, senderSignature, timestamp }: Envelope) {
  return { messageId, mlsCiphertext: ciphertext, senderSignature, timestamp, systemEvent: null };
}

const statusOf = (sending: Promise<{ status: string }>) =>
  sending.then(
    ({ status }) => status,
    (error) => error.id,
  );

async function queueOf({ deviceId }: FixtureDevice) {
  const { messages } = await node.messages.poll(deviceId, { limit: 100 });
  const counted = await fixture.db.one<{ queued_messages: number; queued_bytes: number }>(
    "select queued_messages, queued_bytes from queues where device_id = :deviceId",
    { deviceId },
  );
  const bytes = messages.reduce((sum, { ciphertext }) => sum + ciphertext.length, 0);
  expect(counted).toEqual({ queued_messages: messages.length, queued_bytes: bytes });
  return messages.map(({ messageId }) => messageId);
}

describe("a message that shares a flush with a refused all-or-nothing one of the same id", () => {
  it("is stored, whichever came first", async () => {
    const full = await fullDevice();
    for (const first of ["many", "single"]) {
      const [sender, ben] = [await fixture.device(), await fixture.device()];
      const content = contentOf(fixture.envelope(ben));
      const many = () =>
        node.messages
          .sendToMany(sender.deviceId, { ...content, recipients: [ben, full].map(addressOf), allOrNothing: true })
          .then(
            () => "accepted",
            (error) => error.id,
          );
      const single = () =>
        statusOf(node.messages.send(sender.deviceId, { ...content, recipientAddress: addressOf(ben) }));
      const sent = first === "many" ? [many(), single()] : [single(), many()].reverse();
      expect(await Promise.all(sent)).toEqual(["QUEUE_FULL", "queued"]);
      expect(await queueOf(ben)).toEqual([content.messageId]);
    }
  });

  it("is stored with its own bytes, and its repetition is recognised", async () => {
    const full = await fullDevice();
    const [sender, ben] = [await fixture.device(), await fixture.device()];
    const content = contentOf(fixture.envelope(ben));
    const own = { ...content, mlsCiphertext: Buffer.alloc(500, 1), recipientAddress: addressOf(ben) };
    const sent = [
      statusOf(
        node.messages
          .sendToMany(sender.deviceId, { ...content, recipients: [ben, full].map(addressOf), allOrNothing: true })
          .then(() => ({ status: "accepted" })),
      ),
      statusOf(node.messages.send(sender.deviceId, own)),
      statusOf(node.messages.send(sender.deviceId, own)),
    ];
    expect(await Promise.all(sent)).toEqual(["QUEUE_FULL", "queued", "queued"]);
    expect(await queueOf(ben)).toEqual([content.messageId]);
    expect(await statusOf(node.messages.send(sender.deviceId, own))).toBe("queued");
    expect(await queueOf(ben)).toEqual([content.messageId]);
  });

  it("may itself be all or nothing, and then decides for itself", async () => {
    const full = await fullDevice();
    const [sender, ben, cem] = [await fixture.device(), await fixture.device(), await fixture.device()];
    const content = contentOf(fixture.envelope(ben));
    const toMany = (recipients: FixtureDevice[]) =>
      statusOf(
        node.messages
          .sendToMany(sender.deviceId, { ...content, recipients: recipients.map(addressOf), allOrNothing: true })
          .then((result) => ({ status: result.recipients.map((one) => ("status" in one ? one.status : "no")).join() })),
      );
    const sent = [toMany([ben, full]), toMany([cem, ben]), toMany([full, cem])];
    expect(await Promise.all(sent)).toEqual(["QUEUE_FULL", "queued,queued", "QUEUE_FULL"]);
    expect([await queueOf(ben), await queueOf(cem)]).toEqual([[content.messageId], [content.messageId]]);
  });
});
