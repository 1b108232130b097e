import pg from "pg";
import { type BenchDevice, gatherCrowd } from "../crowd.js";
import { type LoadResult, runLoad } from "../load.js";
import { loadsOf, startNode } from "../measure.js";
import type { Measured, Place } from "../place.js";
import { drainQueues } from "../queues.js";
import { fill, type Level } from "./filling.js";

export interface GrowthExtent {
  warmUpSeconds: number;
  seconds: number;
  /** How often each level is measured, in turn with the others. */
  rounds: number;
  levels: readonly Level[];
}

export const small: Level = { devices: 1_000, queued: 1_000 };
const middle = { devices: 100_000, queued: 100_000 };
const large = { devices: 1_000_000, queued: 5_000_000 };

const warmUpSeconds = 3;
export const quickExtent: GrowthExtent = { warmUpSeconds, seconds: 2, rounds: 3, levels: [small, middle] };
export const fullExtent: GrowthExtent = { warmUpSeconds, seconds: 5, rounds: 3, levels: [small, middle, large] };

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
  place: Place,
  extent: GrowthExtent,
  say: (line: string) => void,
): Promise<GrowthStep[]> {
  const grounds: Ground[] = [];
  for (const [i, level] of extent.levels.entries()) {
    say(`filling: ${level.devices} devices, ${level.queued} messages`);
    grounds.push(await prepare(place, `growth_${i}`, level));
  }
  const rounds: GrowthStep[][] = grounds.map(() => []);
  for (let round = 0; round < extent.rounds; round++) {
    for (const [i, ground] of grounds.entries()) {
      say(`round ${round + 1}, ${ground.level.devices} devices, ${ground.level.queued} messages`);
      rounds[i]?.push(await measureStep(ground, extent));
    }
  }
  for (const ground of grounds) await close(ground);
  return rounds.map(best);
}

/** A relay on a filled database, and devices of which half send to the other half. */
export interface Ground {
  level: Level;
  node: Measured;
  client: pg.Client;
  senders: readonly BenchDevice[];
  recipients: readonly BenchDevice[];
}

export async function prepare(place: Place, name: string, level: Level): Promise<Ground> {
  const databaseUrl = await place.createDatabase(name);
  const node = await startNode(place, databaseUrl);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await fill(client, level);
  const crowd = await gatherCrowd(node.port, 2 * parties);
  return { level, node, client, senders: crowd.slice(parties), recipients: crowd.slice(0, parties) };
}

export async function close({ node, client }: Ground): Promise<void> {
  await client.end();
  await node.stop();
}

async function measureStep({ level, node, client, ...sides }: Ground, extent: GrowthExtent): Promise<GrowthStep> {
  const loads = loadsOf({ target: node, ...sides }, extent);
  const single = await runLoad(loads.single);
  const batch = await runLoad(loads.batch);
  const drain = await measureDrain(node, sides.recipients, 20 * extent.seconds);
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
