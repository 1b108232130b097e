import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { SocketAddress } from "../bare-socket.js";
import type { BenchEnvironment, Measured } from "../context.js";
import { type Load, runLoad } from "../load.js";
import { newBody } from "../load-clients.js";
import { measurePush } from "../streams.js";
import { openWire, requestText } from "../wire.js";
import { openPeers, type Peers } from "./peers.js";
import { measurePuts } from "./put-floor.js";

export interface FederationProfile {
  warmUpSeconds: number;
  seconds: number;
  /** Messages that wait when the other relay comes back. */
  waiting: number;
  /** Messages a second while latencies are taken. */
  rate: number;
}

export const quickProfile: FederationProfile = { warmUpSeconds: 3, seconds: 4, waiting: 15_000, rate: 100 };
export const fullProfile: FederationProfile = { warmUpSeconds: 10, seconds: 10, waiting: 100_000, rate: 100 };

/** Rates in messages a second, times in milliseconds from the sender's request to the recipient's stream. */
export interface FederationResult {
  /** Bare PUTs of the same bytes: a hundred messages each, and one; and of a hundred to a server that stores them. */
  floor: { batch: number; single: number; cpuMicrosPerMessage: number; stored: Stored };
  live: number;
  catchUp: Cost & { waiting: number; perSecond: number; secondsToFirst: number };
  latency: { rate: number; local: Quantiles; remote: Quantiles };
}

type Stored = Cost & { perSecond: number };

/** Processor time of a message: at both ends of its way, and of PostgreSQL. */
interface Cost {
  cpuMicrosPerMessage: number;
  databaseMicrosPerMessage: number;
}

interface Quantiles {
  p50: number;
  p99: number;
}

const senderCount = 64;
const batch = 100;
const fillers = 8;
const lookMillis = 20;

export async function measureFederation(
  environment: BenchEnvironment,
  profile: FederationProfile,
  say: (line: string) => void,
): Promise<FederationResult> {
  const peers = await openPeers(environment, senderCount);
  try {
    say("the floor of federation: a bare PUT by TLS");
    const floor = await measureFloor(environment, peers, profile);
    say("from relay to relay");
    const live = await measureLive(peers, profile);
    say(`catching up with ${profile.waiting} messages`);
    const catchUp = await measureCatchUp(peers, profile);
    say("latency to a device here, and to one at the other relay");
    return { floor, live, catchUp, latency: await measureLatency(peers, profile) };
  } finally {
    await peers.end();
  }
}

/** The bytes of a delivery of so many messages, to within the length of its head. */
function bytesOf(peers: Peers, count: number): Buffer {
  const [recipient] = peers.remote;
  if (recipient === undefined) throw new Error("there are no recipients");
  const messages = Array.from({ length: count }, () => ({
    ...newBody(recipient),
    dedup_tag: randomBytes(32).toString("hex"),
  }));
  const head = { origin_server: "localhost:1", transaction_id: "0".repeat(36), timestamp: 1_700_000_000 };
  return Buffer.from(JSON.stringify({ ...head, messages }));
}

async function measureFloor(
  environment: BenchEnvironment,
  peers: Peers,
  profile: FederationProfile,
): Promise<FederationResult["floor"]> {
  const { certFile, keyFile } = peers.credentials;
  const identity = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
  const bare = await environment.start("put", identity);
  const { perSecond, cpuMicrosPerMessage } = await measureBatches(bare, peers, profile);
  const single = await measurePuts({ port: bare.port, ca: peers.ca }, bytesOf(peers, 1), profile);
  await bare.stop();
  const storing = await environment.start("put-stored", {
    ...identity,
    DATABASE_URL: await environment.createDatabase("put_stored"),
  });
  const stored = await measureBatches(storing, peers, profile);
  await storing.stop();
  return { batch: perSecond, single: single.perSecond, cpuMicrosPerMessage, stored };
}

/** Messages a second by PUTs of a hundred, and what each takes. */
async function measureBatches(target: Measured, peers: Peers, profile: FederationProfile): Promise<Stored> {
  const spent = async () => (await target.cpuMicros()) + ownCpuMicros();
  const [before, databaseBefore] = [await spent(), await target.databaseCpuMicros()];
  const { count, perSecond } = await measurePuts({ port: target.port, ca: peers.ca }, bytesOf(peers, batch), profile);
  const messages = count * batch;
  return {
    perSecond: batch * perSecond,
    cpuMicrosPerMessage: ((await spent()) - before) / messages,
    databaseMicrosPerMessage: ((await target.databaseCpuMicros()) - databaseBefore) / messages,
  };
}

/** What arrives while clients send as much as is taken; then what is left is waited for. */
async function measureLive(peers: Peers, { warmUpSeconds, seconds }: FederationProfile): Promise<number> {
  const arrivals = await openArrivals(peers.receiverDatabase);
  let begun: Promise<{ count: number; at: number }> | undefined;
  await runLoad({
    ...{ target: peers.sender, senders: peers.senders, recipients: peers.remote },
    ...{ batch, connections: fillers, warmUpSeconds, seconds },
    onMeasure: () => {
      begun = arrivals.count();
      // It is waited for later, unless sending fails.
      begun.catch(() => undefined);
    },
  });
  const ended = await arrivals.count();
  const before = await begun;
  await emptied(peers);
  await arrivals.close();
  return before === undefined ? 0 : (1000 * (ended.count - before.count)) / (ended.at - before.at);
}

async function measureCatchUp(peers: Peers, { waiting }: FederationProfile): Promise<FederationResult["catchUp"]> {
  await peers.stopReceiver();
  await fill(peers, waiting);
  const arrivals = await openArrivals(peers.receiverDatabase);
  const before = await arrivals.count();
  await peers.startReceiver();
  const started = performance.now();
  const spent = async () => ({ cpu: await peers.cpuMicros(), database: await peers.sender.databaseCpuMicros() });
  let first: { count: number; at: number; cpu: number; database: number } | undefined;
  let last = before;
  while (last.count < before.count + waiting) {
    await sleep(lookMillis);
    last = await arrivals.count();
    if (first === undefined && last.count > before.count) first = { ...last, ...(await spent()) };
  }
  const ended = await spent();
  await arrivals.close();
  const begun = first ?? { ...last, ...ended };
  const messages = Math.max(1, last.count - begun.count);
  const perSecond = (1000 * (last.count - begun.count)) / Math.max(1, last.at - begun.at);
  const cpuMicrosPerMessage = (ended.cpu - begun.cpu) / messages;
  const databaseMicrosPerMessage = (ended.database - begun.database) / messages;
  const secondsToFirst = (begun.at - started) / 1000;
  return { waiting, perSecond, secondsToFirst, cpuMicrosPerMessage, databaseMicrosPerMessage };
}

function ownCpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function fill(peers: Peers, count: number): Promise<void> {
  let left = Math.ceil(count / batch);
  const send = async (): Promise<void> => {
    const wire = await openWire(peers.sender.port);
    for (left -= 1; left >= 0; left -= 1) {
      const token = peers.senders[left % peers.senders.length]?.token ?? "";
      const messages = Array.from({ length: batch }, (_, i) => newBody(peers.remote[i % peers.remote.length] ?? none));
      await wire.ask(requestText("POST", "/v1/messages/batch", { token, body: { messages } }));
    }
    wire.close();
  };
  await Promise.all(Array.from({ length: fillers }, send));
}

const none = { token: "", address: "" };

async function measureLatency(peers: Peers, profile: FederationProfile): Promise<FederationResult["latency"]> {
  const { warmUpSeconds, seconds, rate } = profile;
  const sides = { target: peers.sender, senders: peers.senders };
  const base = { ...sides, batch: 1, connections: fillers, warmUpSeconds, seconds, rate };
  const to = async (recipients: Load["recipients"], at: SocketAddress): Promise<Quantiles> => {
    const { p50, p99 } = await measurePush({ ...base, recipients }, at);
    return { p50, p99 };
  };
  const local = await to(peers.local, peers.sender);
  await drained(peers);
  return { rate, local, remote: await to(peers.remote, { port: peers.port, ca: peers.ca }) };
}

/** Messages that wait at the recipients would be pushed first. */
async function drained({ receiverDatabase }: Peers): Promise<void> {
  const client = new pg.Client(receiverDatabase);
  await client.connect();
  await client.query("delete from messages");
  await client.query("update mailboxes set queued_messages = 0, queued_bytes = 0");
  await client.end();
}

async function emptied({ senderDatabase }: Peers): Promise<void> {
  const client = new pg.Client(senderDatabase);
  await client.connect();
  const waiting = async () => (await client.query("select 1 from outbox limit 1")).rows.length > 0;
  while (await waiting()) await sleep(lookMillis);
  await client.end();
}

/** Messages that have come to the receiver's queues in all. */
async function openArrivals(databaseUrl: string) {
  const client = new pg.Client(databaseUrl);
  // A server that goes away is told by the question that it breaks off.
  client.on("error", () => undefined);
  await client.connect();
  return {
    async count(): Promise<{ count: number; at: number }> {
      const { rows } = await client.query(
        "select coalesce(sum(messages_received), 0)::integer as count from mailboxes",
      );
      return { count: rows[0].count, at: performance.now() };
    },
    close: () => client.end(),
  };
}
