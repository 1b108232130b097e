import { type Constants, constantsEnvironment } from "../../platform/config/config.js";
import { gibibyte } from "../../protocol/units.js";
import { driveInTurns, middleTurn, partOf, type TurnProfile } from "./alternate.js";
import type { BenchEnvironment, Measured } from "./context.js";
import { openDirect } from "./direct.js";
import { type HashingResult, measureHashing } from "./hashing.js";
import { type Load, type LoadResult, runLoad } from "./load.js";
import { type BenchDevice, benchDomain, ciphertextBytes, createLoadClients } from "./load-clients.js";
import { type NatsPeer, openNats } from "./peers/nats.js";
import { type DrainResult, drainQueues } from "./queues.js";
import { measureIdle, measurePush, type PushResult } from "./streams.js";

/** Durations and amounts of a measurement. */
export interface Profile extends TurnProfile {
  seconds: number;
  senders: number;
  /** Senders that are subject to limits. */
  manySenders: number;
  idleStreams: number;
}

export const quickProfile: Profile = {
  ...{ warmUpSeconds: 5, turns: 5, turnSeconds: 1, seconds: 2 },
  ...{ senders: 64, manySenders: 200, idleStreams: 1_000 },
};
export const fullProfile: Profile = {
  ...{ warmUpSeconds: 10, turns: 9, turnSeconds: 2, seconds: 10 },
  ...{ senders: 64, manySenders: 2_000, idleStreams: 10_000 },
};

/** Rates in messages per second, times in milliseconds; for sides driven in turns, the median turn. */
export interface SendsResult {
  ciphertextBytes: number;
  floors: { httpSingle: LoadResult; httpBatch: LoadResult; postgres: LoadResult };
  /** Undefined where it is not installed. */
  nats: NatsResult | undefined;
  unlimited: { single: LoadResult; batch: LoadResult };
  limited: { single: LoadResult; batch: LoadResult };
  parts: Parts;
}

/** NATS JetStream: publications that are awaited one by one, and a hundred at a time; and the relay's rates as parts of them. */
export interface NatsResult {
  description: string;
  single: LoadResult;
  batch: LoadResult;
  parts: { single: number; batch: number; batchOfSingle: number };
}

export interface BenchResult extends SendsResult {
  unlimited: SendsResult["unlimited"] & { drain: DrainResult };
  /** At half of the peak of sends. */
  push: PushTimes;
  /** Messages per second that are sent, pushed and acknowledged; and pushes at half that rate. */
  wholeWay: { perSecond: number; push: PushTimes };
  whileProving: { idleP99: number; provingP99: number };
  idleStream: { rss: number; heap: number };
  hashing: HashingResult;
}

/** Milliseconds from the request to the stream, at a given rate. */
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

export async function measureAll(
  environment: BenchEnvironment,
  profile: Profile,
  say: (line: string) => void,
): Promise<BenchResult> {
  say("proofs of delay");
  const hashing = await measureHashing();
  const { sends, loads } = await compareSends(environment, profile, say);
  say("polls and acknowledgements");
  const drain = await drainQueues(loads.single.target.port, loads.single.recipients, 2 * profile.seconds);
  await drainQueues(loads.single.target.port, loads.single.recipients, 10 * profile.seconds);
  say("pushes at half of the peak, with proofs being checked and without");
  const rate = sends.unlimited.single.perSecond * half;
  const push = await measurePush({ ...loads.single, rate });
  const whileProving = await measureProving({ ...loads.single, rate }, push.sent.p99);
  say("messages that go the whole way, and pushes at half of what can");
  const wholeWay = await measureWholeWay(loads.single);
  await loads.single.target.stop();
  say(`${profile.idleStreams} idle streams`);
  const idleStream = await measureStreams(environment, profile);
  return {
    ...sends,
    unlimited: { ...sends.unlimited, drain },
    ...{ whileProving, idleStream, hashing },
    ...{ push: timesAt(rate, push), wholeWay },
  };
}

/** Sends alone. */
export async function measureSends(
  environment: BenchEnvironment,
  profile: Profile,
  say: (line: string) => void,
): Promise<SendsResult> {
  const { sends, loads } = await compareSends(environment, profile, say);
  await loads.single.target.stop();
  return sends;
}

async function compareSends(
  environment: BenchEnvironment,
  profile: Profile,
  say: (line: string) => void,
): Promise<{ sends: SendsResult; loads: Comparison["loads"] }> {
  const comparison = await openComparison(environment, profile);
  const { nats } = comparison;
  if (nats === undefined) say("nats-server is not installed, so NATS JetStream is not measured");
  const named = nats === undefined ? "" : `, ${nats.description}`;
  say(`single sends, in turns: a bare server, a relay, a relay with limits${named}`);
  const single = await comparison.single();
  say("batches, in turns: PostgreSQL alone and the same");
  const batch = await comparison.batch();
  await comparison.endOthers();
  const sends = {
    ciphertextBytes,
    floors: {
      httpSingle: middleTurn(single.bare),
      httpBatch: middleTurn(batch.bare),
      postgres: middleTurn(batch.postgres),
    },
    nats: nats && natsResult(nats, single, batch),
    unlimited: { single: middleTurn(single.unlimited), batch: middleTurn(batch.unlimited) },
    limited: { single: middleTurn(single.limited), batch: middleTurn(batch.limited) },
    parts: {
      single: partOf(single.unlimited, single.bare),
      limitedSingle: partOf(single.limited, single.bare),
      batch: partOf(batch.unlimited, batch.postgres),
      limitedBatch: partOf(batch.limited, batch.postgres),
      batchOfBare: partOf(batch.unlimited, batch.bare),
    },
  };
  return { sends, loads: comparison.loads };
}

type Turns = Record<"unlimited" | "nats", LoadResult[]>;

function natsResult({ description }: NatsPeer, single: Turns, batch: Turns): NatsResult {
  return {
    description,
    single: middleTurn(single.nats),
    batch: middleTurn(batch.nats),
    parts: {
      single: partOf(single.unlimited, single.nats),
      batch: partOf(batch.unlimited, batch.nats),
      batchOfSingle: middleTurn(batch.unlimited).perSecond / middleTurn(single.nats).perSecond,
    },
  };
}

/** A message that is also pushed and acknowledged costs more, so this peak is lower. */
async function measureWholeWay(load: Load): Promise<BenchResult["wholeWay"]> {
  const { perSecond } = await measurePush(load);
  const rate = perSecond * half;
  return { perSecond, push: timesAt(rate, await measurePush({ ...load, rate })) };
}

function timesAt(rate: number, { p50, p95, p99 }: PushResult): PushTimes {
  return { rate, p50, p95, p99 };
}

type Comparison = Awaited<ReturnType<typeof openComparison>>;

/**
 * A bare server, PostgreSQL alone, a relay without limits and one with limits, and NATS where it is installed, all running
 * at the same time.
 */
async function openComparison(environment: BenchEnvironment, profile: Profile) {
  const direct = await openDirect(await environment.createDatabase("direct"));
  const bare = await environment.start("floor", { DATABASE_URL: await environment.createDatabase("floor") });
  const nobody: BenchDevice = { token: "none", address: `00000000-0000-4000-8000-000000000000@${benchDomain}` };
  const ofBare = loadsOf({ target: bare, senders: [nobody], recipients: [nobody] }, profile);
  const node = await startNode(environment, await environment.createDatabase("unlimited"));
  const clients = await createLoadClients(node.port, profile.senders + recipientCount);
  const sides = { senders: clients.slice(recipientCount), recipients: clients.slice(0, recipientCount) };
  const loads = loadsOf({ target: node, ...sides }, profile);
  const limited = await startLimited(environment);
  const nats = await openNats(environment, recipientCount);
  const many = await createLoadClients(limited.port, profile.manySenders);
  const ofLimited = loadsOf({ target: limited, senders: many, recipients: many }, profile);
  const drives = (kind: "single" | "batch") => ({
    bare: driven(ofBare[kind]),
    unlimited: driven(loads[kind]),
    limited: driven(ofLimited[kind]),
    nats: nats && drivenNats(nats, kind),
  });
  return {
    ...{ loads, nats },
    single: () => driveInTurns(drives("single"), profile),
    batch: () => driveInTurns({ postgres: direct.drive, ...drives("batch") }, profile),
    async endOthers(): Promise<void> {
      await direct.stop();
      await bare.stop();
      await limited.stop();
      await nats?.stop();
    },
  };
}

function driven(load: Load): (time: Pick<Load, "warmUpSeconds" | "seconds">) => Promise<LoadResult> {
  return (time) => runLoad({ ...load, ...time });
}

/** As many under way as in the other sides' loads. */
function drivenNats(nats: NatsPeer, kind: "single" | "batch"): ReturnType<typeof driven> {
  const load = { connections: connections[kind], atOnce: kind === "single" ? 1 : batchSize };
  return (time) => nats.drive(load, time);
}

/** Limits are enforced, but too high to be reached. */
async function startLimited(environment: BenchEnvironment): Promise<Measured> {
  return startNode(environment, await environment.createDatabase("limited"), {
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

async function measureStreams(
  environment: BenchEnvironment,
  { idleStreams }: Profile,
): Promise<BenchResult["idleStream"]> {
  const node = await startNode(environment, await environment.createDatabase("streams"));
  const idle = await measureIdle(node, await createLoadClients(node.port, idleStreams));
  await node.stop();
  return idle;
}

/** A relay on an empty database, with limits too high to matter unless `more` sets others. */
export async function startNode(
  environment: BenchEnvironment,
  databaseUrl: string,
  more: Record<string, string> = {},
): Promise<Measured> {
  const named = { DOMAIN: benchDomain, BASE_URL: `http://${benchDomain}` };
  return environment.start("node", nodeSettings(databaseUrl, { ...named, ...more }));
}

/** Constants that would disturb a measurement. */
export const roomyConstants: Constants = { bodyBytesPerCaller: 16 * gibibyte };

/** The environment of a measured relay, with limits too high to matter. */
export function nodeSettings(databaseUrl: string, more: Record<string, string>): Record<string, string> {
  return {
    ...{ DATABASE_URL: databaseUrl, HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "error", MASTER_KEY: "5a".repeat(32) },
    FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000000",
    FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000000",
    UNAUTHENTICATED_STREAMS_PER_IP: "1000",
    CONNECTIONS_PER_IP: "1000000",
    ...constantsEnvironment(roomyConstants),
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
  { warmUpSeconds, seconds }: Pick<Profile, "warmUpSeconds" | "seconds">,
): { single: Load; batch: Load } {
  const given = { ...sides, warmUpSeconds, seconds };
  return {
    single: { ...given, batch: 1, connections: connections.single },
    batch: { ...given, batch: batchSize, connections: connections.batch },
  };
}
