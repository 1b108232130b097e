import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Config } from "../../src/composition/config.js";
import { PeerError } from "../../src/federation/peers/types.js";
import type { FixtureDevice } from "../messages/fixture.js";
import {
  createOutboxFixture,
  eventually,
  isDone,
  type OutboxFixture,
  type OutboxNode,
  remote,
  sendTo,
} from "./outbox-fixture.js";
import { createScriptedPeer, type ScriptedPeer } from "./scripted-peer.js";

let fixture: OutboxFixture;
let from: FixtureDevice;
let peer: ScriptedPeer;
let node: OutboxNode;

beforeAll(async () => {
  fixture = await createOutboxFixture();
});
beforeEach(async () => {
  from = await fixture.mailboxes.device({ custom_limit: 1000 });
  peer = createScriptedPeer();
});
afterEach(async () => {
  await node.stop();
  await fixture.mailboxes.db.run("truncate outbox, outbox_destinations, outbox_holds");
});
afterAll(() => fixture.stop());

const domain = "peer.test";
const gone = new PeerError("timeout", "nobody answers");
const start = async (config: Partial<Config>) => {
  node = await fixture.node({ calls: peer, config });
};
const send = (recipients: readonly ReturnType<typeof remote>[]) =>
  sendTo(node, fixture.mailboxes, { from, recipients });
const recipients = (count: number) => Array.from({ length: count }, () => remote(domain));
const done = () => eventually(() => isDone(fixture.mailboxes, domain));

describe("a server that was never reached", () => {
  it("takes neither slots nor memory from servers that were reached, even if there are many", async () => {
    const places = { outboxConcurrentDestinations: 2, outboxUnreachedDestinations: 2 };
    await start({ ...places, outboxInFlightBytes: 1 });
    await send(recipients(1));
    await done();
    const silent: (() => void)[] = [];
    peer.reach = (to) =>
      to.startsWith("silent") ? new Promise((_, reject) => silent.push(() => reject(gone))) : Promise.resolve();
    await send(Array.from({ length: 12 }, (_, i) => remote(`silent${i}.${domain}`)));
    await eventually(() => silent.length === 2);
    await send(recipients(3));
    await done();
    expect(silent).toHaveLength(2);
    peer.reach = () => Promise.reject(gone);
    for (const end of silent) end();
  });

  it("gets the rest of its messages from among those that were, once it was", async () => {
    await start({ outboxTransactionMessages: 1 });
    const { ids } = await send(recipients(5));
    await done();
    expect(peer.arrived.map((message) => message.message_id)).toEqual(ids);
  });
});
