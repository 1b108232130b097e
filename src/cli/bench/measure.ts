import { type BenchDevice, benchDomain, ciphertextBytes, gatherCrowd } from "./crowd.js";
import { measureDirect } from "./direct.js";
import { type HashingResult, measureHashing } from "./hashing.js";
import { type Load, type LoadResult, runLoad } from "./load.js";
import type { Measured, Place } from "./place.js";
import { type DrainResult, drainQueues } from "./queues.js";
import { measureIdle, measurePush } from "./streams.js";

/** How long and how much is measured. */
export interface Extent {
  /** Before every measure of a rate, of the relay and of the floors alike. */
  warmUpSeconds: number;
  seconds: number;
  senders: number;
  /** Senders where limits hold. */
  manySenders: number;
  idleStreams: number;
}

export const quickExtent: Extent = { warmUpSeconds: 5, seconds: 2, senders: 64, manySenders: 200, idleStreams: 1_000 };
export const fullExtent: Extent = {
  ...{ warmUpSeconds: 10, seconds: 10 },
  ...{ senders: 64, manySenders: 2_000, idleStreams: 10_000 },
};

/** Rates in messages a second, times in milliseconds. */
export interface BenchResult {
  ciphertextBytes: number;
  floors: { httpSingle: LoadResult; httpBatch: LoadResult; postgres: number };
  unlimited: { single: LoadResult; batch: LoadResult; drain: DrainResult };
  limited: { single: LoadResult; batch: LoadResult };
  push: { rate: number; p50: number; p95: number; p99: number };
  whileProving: { idleP99: number; provingP99: number };
  idleStream: { rss: number; heap: number };
  hashing: HashingResult;
}

const connections = { single: 256, batch: 8 };
const batchSize = 100;
const recipientCount = 64;
const half = 0.5;

export async function measureAll(place: Place, extent: Extent, say: (line: string) => void): Promise<BenchResult> {
  say("proofs of delay");
  const hashing = await measureHashing();
  say("the floors: PostgreSQL alone, a bare server");
  const floors = await measureFloors(place, extent);
  say("a relay without limits");
  const node = await startNode(place, await place.createDatabase("unlimited"));
  const crowd = await gatherCrowd(node.port, extent.senders + recipientCount);
  const sides = { senders: crowd.slice(recipientCount), recipients: crowd.slice(0, recipientCount) };
  const loads = loadsOf({ target: node, ...sides }, extent);
  const single = await runLoad(loads.single);
  const batch = await runLoad(loads.batch);
  say("polls and acknowledgements");
  const drain = await drainQueues(node.port, sides.recipients, 2 * extent.seconds);
  await drainQueues(node.port, sides.recipients, 10 * extent.seconds);
  say("pushes at half of the peak, with proofs being checked and without");
  const rate = single.perSecond * half;
  const push = await measurePush({ ...loads.single, rate });
  const whileProving = await measureProving({ ...loads.single, rate }, push.sent.p99);
  await node.stop();
  say(`${extent.idleStreams} idle streams`);
  const idleStream = await measureStreams(place, extent);
  say("a relay with limits and many senders");
  const limited = await measureLimited(place, extent);
  return {
    ciphertextBytes,
    ...{ floors, unlimited: { single, batch, drain }, limited, whileProving, idleStream, hashing },
    push: { rate, p50: push.p50, p95: push.p95, p99: push.p99 },
  };
}

async function measureFloors(place: Place, extent: Extent): Promise<BenchResult["floors"]> {
  const postgres = await measureDirect(await place.createDatabase("direct"), extent);
  const target = await place.start("floor", { DATABASE_URL: await place.createDatabase("floor") });
  const nobody: BenchDevice = { token: "none", address: `00000000-0000-4000-8000-000000000000@${benchDomain}` };
  const loads = loadsOf({ target, senders: [nobody], recipients: [nobody] }, extent);
  const floors = { postgres, httpSingle: await runLoad(loads.single), httpBatch: await runLoad(loads.batch) };
  await target.stop();
  return floors;
}

/** Limits hold, and are too high to be reached. */
async function measureLimited(place: Place, extent: Extent): Promise<BenchResult["limited"]> {
  const node = await startNode(place, await place.createDatabase("limited"), {
    SEED_RATE_LIMITING_ENABLED: "true",
    SEED_PROGRESSIVE_TRUST_ENABLED: "false",
    SEED_PROGRESSIVE_TRUST_TRUSTED_TIER_LIMIT: "1000000",
  });
  const crowd = await gatherCrowd(node.port, extent.manySenders);
  const loads = loadsOf({ target: node, senders: crowd, recipients: crowd }, extent);
  const limited = { single: await runLoad(loads.single), batch: await runLoad(loads.batch) };
  await node.stop();
  return limited;
}

async function measureProving(load: Load, idleP99: number): Promise<BenchResult["whileProving"]> {
  await load.target.prove(true);
  const { p99 } = await runLoad(load);
  await load.target.prove(false);
  return { idleP99, provingP99: p99 };
}

async function measureStreams(place: Place, { idleStreams }: Extent): Promise<BenchResult["idleStream"]> {
  const node = await startNode(place, await place.createDatabase("streams"));
  const idle = await measureIdle(node, await gatherCrowd(node.port, idleStreams));
  await node.stop();
  return idle;
}

/** A relay on an empty database, whose limits are out of the way unless `more` says otherwise. */
export async function startNode(
  place: Place,
  databaseUrl: string,
  more: Record<string, string> = {},
): Promise<Measured> {
  const named = { DOMAIN: benchDomain, BASE_URL: `http://${benchDomain}` };
  return place.start("node", nodeSettings(databaseUrl, { ...named, ...more }));
}

/** The environment of a relay that is measured, whose limits are out of the way. */
export function nodeSettings(databaseUrl: string, more: Record<string, string>): Record<string, string> {
  return {
    ...{ DATABASE_URL: databaseUrl, HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "error", MASTER_KEY: "5a".repeat(32) },
    FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000000",
    FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000000",
    UNAUTHENTICATED_STREAMS_PER_IP: "1000",
    SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
    SEED_RATE_LIMITING_ENABLED: "false",
    SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "1000000",
    SEED_STORAGE_MESSAGE_QUEUE_BYTES_LIMIT: "1099511627776",
    ...more,
  };
}

/** The loads of a comparison: single sends, many at once, and batches. */
export function loadsOf(
  sides: Pick<Load, "target" | "senders" | "recipients">,
  { warmUpSeconds, seconds }: Pick<Extent, "warmUpSeconds" | "seconds">,
): { single: Load; batch: Load } {
  const given = { ...sides, warmUpSeconds, seconds };
  return {
    single: { ...given, batch: 1, connections: connections.single },
    batch: { ...given, batch: batchSize, connections: connections.batch },
  };
}
