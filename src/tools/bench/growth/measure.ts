import pg from "pg";
import type { BenchEnvironment, Measured } from "../context.js";
import { type LoadResult, runLoad } from "../load.js";
import { type BenchDevice, createLoadClients } from "../load-clients.js";
import { loadsOf, startNode } from "../measure.js";
import { drainQueues } from "../queues.js";
import { fill, type Level } from "./fill.js";

export interface GrowthProfile {
  warmUpSeconds: number;
  seconds: number;
  /** How often each level is measured, in turn with the others. */
  rounds: number;
  levels: readonly Level[];
}

export const small: Level = { devices: 1_000, queued: 1_000 };
const middle = { devices: 100_000, queued: 100_000 };
const large = { devices: 1_000_000, queued: 5_000_000 };
const largest = { devices: 10_000_000, queued: 50_000_000 };

const warmUpSeconds = 3;
export const quickProfile: GrowthProfile = { warmUpSeconds, seconds: 2, rounds: 3, levels: [small, middle] };
export const fullProfile: GrowthProfile = { warmUpSeconds, seconds: 5, rounds: 3, levels: [small, middle, large] };
export const longProfile: GrowthProfile = { warmUpSeconds, seconds: 5, rounds: 3, levels: [small, large, largest] };

/** What the main job costs beside so much. Rates in messages a second; times are microseconds of processor a message. */
export interface GrowthStep extends Level {
  single: Cost;
  batch: Cost;
  /** Polling and acknowledging together. */
  drain: Cost;
  singlesPerSecond: number;
  batchedPerSecond: number;
  polledPerSecond: number;
  acknowledgedPerSecond: number;
  /** Tables and indexes of the whole database. */
  bytes: number;
}

export interface Cost {
  server: number;
  database: number;
}

const parties = 64;

/**
 * The same load beside ever more devices and messages of others. Every level has a relay and a database of its own on one
 * server and they are measured in turn, so that what else the machine does meets all of them; of several rounds the best
 * counts.
 */
export async function measureGrowth(
  environment: BenchEnvironment,
  profile: GrowthProfile,
  say: (line: string) => void,
): Promise<GrowthStep[]> {
  const contexts: Context[] = [];
  for (const [i, level] of profile.levels.entries()) {
    say(`filling: ${level.devices} devices, ${level.queued} messages`);
    contexts.push(await prepare(environment, `growth_${i}`, { level, say }));
  }
  const rounds: GrowthStep[][] = contexts.map(() => []);
  for (let round = 0; round < profile.rounds; round++) {
    for (const [i, context] of contexts.entries()) {
      say(`round ${round + 1}, ${context.level.devices} devices, ${context.level.queued} messages`);
      rounds[i]?.push(await measureStep(context, profile));
    }
  }
  for (const context of contexts) await close(context);
  return rounds.map(best);
}

/** A relay on a filled database, and devices of which half send to the other half. */
export interface Context {
  level: Level;
  node: Measured;
  client: pg.Client;
  senders: readonly BenchDevice[];
  recipients: readonly BenchDevice[];
}

export async function prepare(
  environment: BenchEnvironment,
  name: string,
  { level, say }: { level: Level; say: (line: string) => void },
): Promise<Context> {
  const databaseUrl = await environment.createDatabase(name);
  // This one only creates the tables.
  await (await startNode(environment, databaseUrl)).stop();
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await fill(client, level, say);
  const node = await startNode(environment, databaseUrl);
  const clients = await createLoadClients(node.port, 2 * parties);
  return { level, node, client, senders: clients.slice(parties), recipients: clients.slice(0, parties) };
}

export async function close({ node, client }: Context): Promise<void> {
  await client.end();
  await node.stop();
}

async function measureStep({ level, node, client, ...sides }: Context, profile: GrowthProfile): Promise<GrowthStep> {
  const loads = loadsOf({ target: node, ...sides }, profile);
  const single = await runLoad(loads.single);
  const batch = await runLoad(loads.batch);
  const drain = await measureDrain(node, sides.recipients, 20 * profile.seconds);
  const { rows } = await client.query("select pg_database_size(current_database())::float8 as bytes");
  return {
    ...level,
    single: costOf(single),
    batch: costOf(batch),
    drain: drain.cost,
    singlesPerSecond: single.perSecond,
    batchedPerSecond: batch.perSecond,
    polledPerSecond: drain.polledPerSecond,
    acknowledgedPerSecond: drain.acknowledgedPerSecond,
    bytes: rows[0].bytes,
  };
}

/** Empties the devices' queues, for at most so many seconds. */
export async function measureDrain(node: Measured, recipients: readonly BenchDevice[], seconds: number) {
  const before = await spent(node);
  const drain = await drainQueues(node.port, recipients, seconds);
  const after = await spent(node);
  const perMessage = (of: keyof Cost): number => (after[of] - before[of]) / Math.max(1, drain.messages);
  return { ...drain, cost: { server: perMessage("server"), database: perMessage("database") } };
}

async function spent(node: Measured): Promise<Cost> {
  const [server, database] = await Promise.all([node.cpuMicros(), node.databaseCpuMicros()]);
  return { server, database };
}

export function costOf({ cpuMicrosPerMessage: server, databaseMicrosPerMessage: database }: LoadResult): Cost {
  return { server, database };
}

/** The least cost and the highest rate of each kind: what disturbs only ever adds to the one and takes from the other. */
function best(rounds: readonly GrowthStep[]): GrowthStep {
  const least = (of: (step: GrowthStep) => number): number => Math.min(...rounds.map(of));
  const most = (of: (step: GrowthStep) => number): number => Math.max(...rounds.map(of));
  const cost = (of: (step: GrowthStep) => Cost): Cost => ({
    server: least((step) => of(step).server),
    database: least((step) => of(step).database),
  });
  return {
    ...(rounds[0] as GrowthStep),
    single: cost(({ single }) => single),
    batch: cost(({ batch }) => batch),
    drain: cost(({ drain }) => drain),
    singlesPerSecond: most(({ singlesPerSecond }) => singlesPerSecond),
    batchedPerSecond: most(({ batchedPerSecond }) => batchedPerSecond),
    polledPerSecond: most(({ polledPerSecond }) => polledPerSecond),
    acknowledgedPerSecond: most(({ acknowledgedPerSecond }) => acknowledgedPerSecond),
    bytes: most(({ bytes }) => bytes),
  };
}
