import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PeerError } from "../../src/federation/peer-calls.js";
import type { Config } from "../../src/platform/config.js";
import type { GroundDevice } from "../mailbox/ground.js";
import {
  createOutboxGround,
  eventually,
  isDone,
  type OutboxGround,
  type OutboxNode,
  remote,
  sendTo,
} from "./outbox-ground.js";
import { createScriptedPeer, type ScriptedPeer } from "./scripted-peer.js";

let ground: OutboxGround;
let from: GroundDevice;
let peer: ScriptedPeer;
let node: OutboxNode;

beforeAll(async () => {
  ground = await createOutboxGround();
});
beforeEach(async () => {
  from = await ground.mailboxes.device({ custom_limit: 1000 });
  peer = createScriptedPeer();
});
afterEach(async () => {
  await node.stop();
  await ground.mailboxes.db.raw("truncate outbox, outbox_destinations, outbox_holds");
});
afterAll(() => ground.stop());

const domain = "peer.test";
const gone = new PeerError("timeout", "nobody answers");
const start = async (limits: Partial<Config>) => {
  node = await ground.node({ calls: peer, limits });
};
const send = (recipients: readonly ReturnType<typeof remote>[]) => sendTo(node, ground.mailboxes, { from, recipients });
const recipients = (count: number) => Array.from({ length: count }, () => remote(domain));
const done = () => eventually(() => isDone(ground.mailboxes, domain), 30);

describe("a server that nobody ever reached", () => {
  it("holds neither place nor bytes that one which was reached needs, however many of them there are", async () => {
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
