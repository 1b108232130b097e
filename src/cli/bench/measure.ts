import { type BenchDevice, benchDomain, ciphertextBytes, gatherCrowd } from "./crowd.js";
import { openDirect } from "./direct.js";
import { type HashingResult, measureHashing } from "./hashing.js";
import { type Load, type LoadResult, runLoad } from "./load.js";
import type { Measured, Place } from "./place.js";
import { type DrainResult, drainQueues } from "./queues.js";
import { measureIdle, measurePush, type PushResult } from "./streams.js";
import { driveInTurns, middleTurn, partOf, type TurnExtent } from "./turns.js";

/** How long and how much is measured. */
export interface Extent extends TurnExtent {
  seconds: number;
  senders: number;
  /** Senders where limits hold. */
  manySenders: number;
  idleStreams: number;
}

export const quickExtent: Extent = {
  ...{ warmUpSeconds: 5, turns: 5, turnSeconds: 1, seconds: 2 },
  ...{ senders: 64, manySenders: 200, idleStreams: 1_000 },
};
export const fullExtent: Extent = {
  ...{ warmUpSeconds: 10, turns: 9, turnSeconds: 2, seconds: 10 },
  ...{ senders: 64, manySenders: 2_000, idleStreams: 10_000 },
};

/** Rates in messages a second, times in milliseconds; of what was driven in turns the turn in the middle. */
export interface BenchResult {
  ciphertextBytes: number;
  floors: { httpSingle: LoadResult; httpBatch: LoadResult; postgres: LoadResult };
  unlimited: { single: LoadResult; batch: LoadResult; drain: DrainResult };
  limited: { single: LoadResult; batch: LoadResult };
  parts: Parts;
  /** At half of the peak of sends. */
  push: PushTimes;
  /** Messages a second that are sent, pushed and acknowledged, and pushes at half of that. */
  wholeWay: { perSecond: number; push: PushTimes };
  whileProving: { idleP99: number; provingP99: number };
  idleStream: { rss: number; heap: number };
  hashing: HashingResult;
}

/** Milliseconds from the request to the stream, at a rate of messages a second. */
export interface PushTimes {
  rate: number;
  p50: number;
  p95: number;
  p99: number;
}

/** Parts of the floors' rates: single sends of the bare server's, batches of PostgreSQL's and of the bare server's. */
export interface Parts {
  single: number;
  limitedSingle: number;
  batch: number;
  limitedBatch: number;
  batchOfBare: number;
}

const connections = { single: 256, batch: 8 };
const batchSize = 100;
const recipientCount = 64;
const half = 0.5;

export async function measureAll(place: Place, extent: Extent, say: (line: string) => void): Promise<BenchResult> {
  say("proofs of delay");
  const hashing = await measureHashing();
  const contest = await openContest(place, extent);
  say("single sends, in turns: a bare server, a relay, a relay with limits");
  const single = await contest.single();
  say("batches, in turns: PostgreSQL alone and the same");
  const batch = await contest.batch();
  await contest.endOthers();
  const { loads } = contest;
  say("polls and acknowledgements");
  const drain = await drainQueues(loads.single.target.port, loads.single.recipients, 2 * extent.seconds);
  await drainQueues(loads.single.target.port, loads.single.recipients, 10 * extent.seconds);
  say("pushes at half of the peak, with proofs being checked and without");
  const rate = middleTurn(single.unlimited).perSecond * half;
  const push = await measurePush({ ...loads.single, rate });
  const whileProving = await measureProving({ ...loads.single, rate }, push.sent.p99);
  say("messages that go the whole way, and pushes at half of what can");
  const wholeWay = await measureWholeWay(loads.single);
  await loads.single.target.stop();
  say(`${extent.idleStreams} idle streams`);
  const idleStream = await measureStreams(place, extent);
  return {
    ciphertextBytes,
    floors: {
      httpSingle: middleTurn(single.bare),
      httpBatch: middleTurn(batch.bare),
      postgres: middleTurn(batch.postgres),
    },
    unlimited: { single: middleTurn(single.unlimited), batch: middleTurn(batch.unlimited), drain },
    limited: { single: middleTurn(single.limited), batch: middleTurn(batch.limited) },
    parts: {
      single: partOf(single.unlimited, single.bare),
      limitedSingle: partOf(single.limited, single.bare),
      batch: partOf(batch.unlimited, batch.postgres),
      limitedBatch: partOf(batch.limited, batch.postgres),
      batchOfBare: partOf(batch.unlimited, batch.bare),
    },
    ...{ whileProving, idleStream, hashing },
    ...{ push: timesAt(rate, push), wholeWay },
  };
}

/** A message that is pushed and acknowledged costs more than one that is sent: so this peak is lower. */
async function measureWholeWay(load: Load): Promise<BenchResult["wholeWay"]> {
  const { perSecond } = await measurePush(load);
  const rate = perSecond * half;
  return { perSecond, push: timesAt(rate, await measurePush({ ...load, rate })) };
}

function timesAt(rate: number, { p50, p95, p99 }: PushResult): PushTimes {
  return { rate, p50, p95, p99 };
}

/** A bare server, PostgreSQL alone, a relay without limits and one with them, all up at once. */
async function openContest(place: Place, extent: Extent) {
  const direct = await openDirect(await place.createDatabase("direct"));
  const bare = await place.start("floor", { DATABASE_URL: await place.createDatabase("floor") });
  const nobody: BenchDevice = { token: "none", address: `00000000-0000-4000-8000-000000000000@${benchDomain}` };
  const ofBare = loadsOf({ target: bare, senders: [nobody], recipients: [nobody] }, extent);
  const node = await startNode(place, await place.createDatabase("unlimited"));
  const crowd = await gatherCrowd(node.port, extent.senders + recipientCount);
  const sides = { senders: crowd.slice(recipientCount), recipients: crowd.slice(0, recipientCount) };
  const loads = loadsOf({ target: node, ...sides }, extent);
  const limited = await startLimited(place);
  const many = await gatherCrowd(limited.port, extent.manySenders);
  const ofLimited = loadsOf({ target: limited, senders: many, recipients: many }, extent);
  const drives = (kind: "single" | "batch") => ({
    bare: driven(ofBare[kind]),
    unlimited: driven(loads[kind]),
    limited: driven(ofLimited[kind]),
  });
  return {
    loads,
    single: () => driveInTurns(drives("single"), extent),
    batch: () => driveInTurns({ postgres: direct.drive, ...drives("batch") }, extent),
    async endOthers(): Promise<void> {
      await direct.stop();
      await bare.stop();
      await limited.stop();
    },
  };
}

function driven(load: Load): (time: Pick<Load, "warmUpSeconds" | "seconds">) => Promise<LoadResult> {
  return (time) => runLoad({ ...load, ...time });
}

/** Limits hold, and are too high to be reached. */
async function startLimited(place: Place): Promise<Measured> {
  return startNode(place, await place.createDatabase("limited"), {
    SEED_RATE_LIMITING_ENABLED: "true",
    SEED_PROGRESSIVE_TRUST_ENABLED: "false",
    SEED_PROGRESSIVE_TRUST_TRUSTED_TIER_LIMIT: "1000000",
  });
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
    CONNECTIONS_PER_IP: "1000000",
    BODY_BYTES_PER_CALLER: "17179869184",
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
