import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { routes } from "../../generated/routes.js";
import { blocklistText } from "../../src/protocol/signed-text.js";
import type { TestDevice } from "../support/device.js";
import { until } from "../support/until.js";
import { type PeerServer, startPeerServer } from "./peer-server.js";
import { createReputationFixture, type ReputationFixture } from "./reputation-fixture.js";

let fixture: ReputationFixture;
let peer: PeerServer;
let device: TestDevice;
let count = 0;
const ours = generateKeyPairSync("ed25519");
const sixHours = 6 * 3600;

beforeAll(async () => {
  fixture = await createReputationFixture();
  peer = await startPeerServer(fixture.peers);
  device = await fixture.device();
  const { kty, crv, x } = ours.publicKey.export({ format: "jwk" });
  const keys = [{ kty, crv, x, kid: "one", alg: "EdDSA", use: "sig" }];
  peer.documents.set(routes.getSigningKeys.path, { keys });
  // Its list counts once it has been in contact and has delivered something.
  await fixture.give(await fixture.server(peer.domain), device, { good: 1 });
});
afterAll(async () => {
  await peer.stop();
  await fixture.stop();
});

let known: string;
beforeEach(async () => {
  known = `known${count++}.example`;
  await fixture.give(await fixture.server(known), device, { good: 1 });
});

const listOf = (domain: string, change: object = {}, key: KeyObject = ours.privateKey) => {
  const listed = { domain, reason_category: "spam", severity: "high", blocked_since: 1 };
  const document = { server: peer.domain, blocklist_version: "1.0", last_updated: 1, blocked_servers: [listed] };
  return { ...document, signature: sign(null, Buffer.from(blocklistText(document)), key).toString("hex"), ...change };
};
const listings = async () => (await fixture.reputation(known)).federated_blocklist_count;
/** Lets the time for fetching come, and waits until the list was asked for and judged. */
const fetched = async (answer: unknown, expected: number) => {
  const path = routes.getBlocklist.path;
  if (answer === undefined) peer.documents.delete(path);
  else peer.documents.set(path, answer);
  const before = peer.asked.filter((asked) => asked === path).length;
  fixture.relay.clock.advance(sixHours);
  await until(async () => peer.asked.filter((asked) => asked === path).length > before, "the list is fetched");
  await until(async () => (await listings()) === expected, `${expected} listings`);
};

it("a peer's list counts against the servers it names, until it names them no more", async () => {
  await fetched(listOf(known), 1);
  expect((await fixture.reputation(known)).reputation_score).toBeCloseTo(0.95);
  await fetched(listOf("other.example"), 0);
  await fetched(listOf(known), 1);
  await fetched(undefined, 0);
});

it.each<[string, (now: string) => unknown]>([
  ["signed by another key", (name) => listOf(name, {}, generateKeyPairSync("ed25519").privateKey)],
  ["changed after it was signed", (name) => listOf("other.example", { blocked_servers: listOf(name).blocked_servers })],
  ["without a signature", (name) => listOf(name, { signature: undefined })],
  ["of another server", (name) => listOf(name, { server: "other.example" })],
  ["that is none", () => ["nothing"]],
])("a list %s changes nothing", async (_, answer) => {
  const before = known;
  await fetched(listOf(before), 1);
  const other = `other${count++}.example`;
  await fixture.give(await fixture.server(other), device, { good: 1 });
  // The second round begins when the first one is done.
  for (const _round of [1, 2]) await fetched(answer(other), 1);
  expect((await fixture.reputation(other)).federated_blocklist_count).toBe(0);
});
