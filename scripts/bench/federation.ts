import { randomBytes } from "node:crypto";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { SocketAddress } from "./bare-socket.js";
import type { BenchEnvironment } from "./environment.js";
import { openConnection, requestText } from "./http-connection.js";
import { type Load, meterOf, type Quantiles, runLoad, type Spent } from "./load.js";
import { type BenchDevice, newText } from "./load-clients.js";
import { openPeers, type Peers } from "./peers.js";
import { micros, millis, part, type Report, rate, table } from "./report.js";
import { measurePush } from "./streams.js";

export interface FederationProfile {
  warmUpSeconds: number;
  seconds: number;
  /** Number of messages that wait when the other relay comes back. */
  waiting: number;
  /** Messages per second while latencies are measured. */
  rate: number;
}

export const quickProfile: FederationProfile = { warmUpSeconds: 3, seconds: 4, waiting: 15_000, rate: 100 };
export const fullProfile: FederationProfile = { warmUpSeconds: 10, seconds: 10, waiting: 100_000, rate: 100 };

interface CatchUp extends Spent {
  perSecond: number;
  /** Measured from the peer's return. */
  secondsToFirst: number;
}

const senderCount = 64;
const batch = 100;
const fillers = 8;
const lookMillis = 20;

/** Two relays, and a bare server that stores what is delivered to it, for comparison. */
export async function measureFederation(
  environment: BenchEnvironment,
  profile: FederationProfile,
  say: (line: string) => void,
): Promise<Report> {
  const peers = await openPeers(environment, senderCount);
  try {
    say("the floor of federation: PUTs by TLS that are stored");
    const floor = await measureFloor(environment, peers, profile);
    say("from relay to relay");
    const live = await measureLive(peers, profile);
    say(`catching up with ${profile.waiting} messages`);
    const catchUp = await measureCatchUp(peers, profile);
    say("latency to a device here, and to one at the other relay");
    const latency = await measureLatency(peers, profile);
    const result = { floor, live, catchUp: { waiting: profile.waiting, ...catchUp }, latency };
    return { text: describe(result, profile), result: { federation: result } };
  } finally {
    await peers.end();
  }
}

function describe(
  {
    floor,
    live,
    catchUp,
    latency,
  }: { floor: number; live: number; catchUp: CatchUp; latency: Record<"local" | "remote", Quantiles> },
  { waiting, rate: steady }: FederationProfile,
): string {
  const { local, remote } = latency;
  const both = ({ p50, p99 }: Quantiles) => [millis(p50), `p99 ${millis(p99)}`];
  return table(
    ["federation", "value", "beside"],
    [
      ["stored PUTs by TLS, 100 messages each", rate(floor), "the floor"],
      ["relay to relay, while clients send", rate(live), part(live / floor, "stored PUTs")],
      [
        `catching up with ${waiting.toLocaleString("en")} messages`,
        rate(catchUp.perSecond),
        part(catchUp.perSecond / floor, "stored PUTs"),
      ],
      ["processor time of both relays, a message", micros(catchUp.server), `PostgreSQL: ${micros(catchUp.database)}`],
      ["from the peer's return to the first message", `${catchUp.secondsToFirst.toFixed(2)} s`, ""],
      [`send to push here, at ${rate(steady)}, p50`, ...both(local)],
      ["send to push at the other relay, p50", ...both(remote)],
      ["added by federation, p50", millis(remote.p50 - local.p50), `p99 ${millis(remote.p99 - local.p99)}`],
    ],
  );
}

/**
 * Messages per second that the bare server stores by PUTs over one kept connection, as one relay delivers to another.
 */
async function measureFloor(environment: BenchEnvironment, peers: Peers, profile: FederationProfile): Promise<number> {
  const { certFile, keyFile } = peers.credentials;
  const files = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
  const { port, stop } = await environment.startFloor(await environment.createDatabase("puts"), files);
  const agent = new Agent({ ca: peers.ca, keepAlive: true, maxSockets: 1 });
  const body = delivery(peers);
  const putFor = async (seconds: number): Promise<number> => {
    let count = 0;
    const before = performance.now();
    for (; performance.now() - before < seconds * 1000; count++) await put(agent, port, body);
    return (1000 * count) / (performance.now() - before);
  };
  await putFor(profile.warmUpSeconds);
  const perSecond = await putFor(profile.seconds);
  agent.destroy();
  await stop();
  return batch * perSecond;
}

/** The bytes of a delivery of a hundred messages, except for differences in the length of its head. */
function delivery(peers: Peers): Buffer {
  const tag = randomBytes(32).toString("hex");
  const messages = Array.from({ length: batch }, () => {
    return { ...JSON.parse(newText(peers.remote[0] as BenchDevice)), dedup_tag: tag };
  });
  const head = { origin_server: "localhost:1", transaction_id: "0".repeat(36), timestamp: 1_700_000_000 };
  return Buffer.from(JSON.stringify({ ...head, messages }));
}

function put(agent: Agent, port: number, body: Buffer): Promise<void> {
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  return new Promise((settle, fail) => {
    const sent = request({ agent, host: "localhost", port, method: "PUT", path: "/", headers }, (answered) => {
      answered.resume().once("end", settle);
    });
    sent.once("error", fail);
    sent.end(body);
  });
}

/** The messages that arrive while clients send as much as is accepted; the rest is awaited afterwards. */
async function measureLive(peers: Peers, { warmUpSeconds, seconds }: FederationProfile): Promise<number> {
  const arrivals = await openArrivals(peers.receiverDatabase);
  let begun: Promise<{ count: number; at: number }> | undefined;
  await runLoad({
    ...{ target: peers.sender, senders: peers.senders, recipients: peers.remote },
    ...{ batch, connections: fillers, warmUpSeconds, seconds },
    onMeasure: () => {
      begun = arrivals.count();
      // It is awaited later, unless sending fails.
      begun.catch(() => undefined);
    },
  });
  const ended = await arrivals.count();
  const before = await begun;
  await emptied(peers);
  await arrivals.close();
  return before === undefined ? 0 : (1000 * (ended.count - before.count)) / (ended.at - before.at);
}

async function measureCatchUp(peers: Peers, { waiting }: FederationProfile): Promise<CatchUp> {
  await peers.stopReceiver();
  await fill(peers, waiting);
  const arrivals = await openArrivals(peers.receiverDatabase);
  const before = await arrivals.count();
  const receiver = await peers.startReceiver();
  const started = performance.now();
  let last = before;
  while (last.count === before.count) {
    await sleep(lookMillis);
    last = await arrivals.count();
  }
  const first = last;
  const spent = await meterOf(peers.sender, receiver);
  while (last.count < before.count + waiting) {
    await sleep(lookMillis);
    last = await arrivals.count();
  }
  await arrivals.close();
  const messages = last.count - first.count;
  return {
    perSecond: (1000 * messages) / Math.max(1, last.at - first.at),
    secondsToFirst: (first.at - started) / 1000,
    ...(await spent(messages)),
  };
}

async function fill(peers: Peers, count: number): Promise<void> {
  let left = Math.ceil(count / batch);
  const send = async (): Promise<void> => {
    const connection = await openConnection(peers.sender.port);
    for (left -= 1; left >= 0; left -= 1) {
      const token = peers.senders[left % peers.senders.length]?.token ?? "";
      const texts = Array.from({ length: batch }, (_, i) =>
        newText(peers.remote[i % peers.remote.length] as BenchDevice),
      );
      await connection.ask(
        requestText("POST", "/v1/messages/batch", { token, json: `{"messages":[${texts.join(",")}]}` }),
      );
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: fillers }, send));
}

async function measureLatency(
  peers: Peers,
  { warmUpSeconds, seconds, rate: steady }: FederationProfile,
): Promise<Record<"local" | "remote", Quantiles>> {
  const sides = { target: peers.sender, senders: peers.senders };
  const base = { ...sides, batch: 1, connections: fillers, warmUpSeconds, seconds, rate: steady };
  const to = async (recipients: Load["recipients"], at: SocketAddress): Promise<Quantiles> => {
    const { p50, p95, p99 } = await measurePush({ ...base, recipients }, at);
    return { p50, p95, p99 };
  };
  const local = await to(peers.local, peers.sender);
  await removeQueued(peers);
  return { local, remote: await to(peers.remote, { port: peers.port, ca: peers.ca }) };
}

/** Messages that wait at the recipients would be pushed first. */
async function removeQueued({ receiverDatabase }: Peers): Promise<void> {
  const client = new pg.Client(receiverDatabase);
  await client.connect();
  await client.query("delete from messages");
  await client.query("update queues set queued_messages = 0, queued_bytes = 0");
  await client.end();
}

async function emptied({ senderDatabase }: Peers): Promise<void> {
  const client = new pg.Client(senderDatabase);
  await client.connect();
  const waiting = async () => (await client.query("select 1 from outbox limit 1")).rows.length > 0;
  while (await waiting()) await sleep(lookMillis);
  await client.end();
}

/** The total number of messages that have reached the receiver's queues. */
async function openArrivals(databaseUrl: string) {
  const client = new pg.Client(databaseUrl);
  // A server that goes away is told by the question that it breaks off.
  client.on("error", () => undefined);
  await client.connect();
  return {
    async count(): Promise<{ count: number; at: number }> {
      const { rows } = await client.query("select coalesce(sum(messages_received), 0)::integer as count from queues");
      return { count: rows[0].count, at: performance.now() };
    },
    close: () => client.end(),
  };
}
