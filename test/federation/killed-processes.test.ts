import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createManualClock, createSystemClock } from "../../src/node/clock.js";
import { newMessageId } from "../../src/protocol/identifiers.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { type KillableRelay, startKillableRelay } from "../support/killable-relay.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";
import { eventually } from "./outbox-fixture.js";

const clock = createManualClock(createSystemClock());
let fixture: PeerFixture;
let here: KillableRelay;
let there: KillableRelay;

beforeAll(async () => {
  fixture = await createPeerFixture();
  [here, there] = await Promise.all([startKillableRelay(fixture), startKillableRelay(fixture)]);
});
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await fixture.stop();
});

/** Sends a message until it is accepted, as a client does. */
async function send(from: TestDevice, to: TestDevice): Promise<string> {
  const messageId = newMessageId(clock.nowMillis(), new Uint8Array(randomBytes(10)));
  await eventually(async () => {
    const answer = await from.send(to.address, { messageId }).catch(() => undefined);
    return answer?.status === 202;
  });
  return messageId;
}

it("nothing is lost or doubled when the relays' processes are killed meanwhile", async () => {
  const [sender, recipient] = [await newDevice(here.relay), await newDevice(there.relay)];
  const sent: string[] = [];
  let sending = true;
  const writing = (async () => {
    while (sending) sent.push(await send(sender, recipient));
  })();
  for (const victim of [there, here]) {
    const { length } = sent;
    await eventually(() => sent.length > length + 10);
    await victim.kill();
    await victim.start();
  }
  sending = false;
  await writing;
  const ids = async () => {
    const answer = await recipient.poll({ limit: 1000 }).catch(() => undefined);
    return answer?.body.messages.map((message) => message.message_id) ?? [];
  };
  await eventually(async () => (await ids()).length >= Math.min(1000, sent.length));
  expect(await ids()).toEqual(sent.slice(0, 1000));
  expect(sent.length).toBeGreaterThan(20);
});
