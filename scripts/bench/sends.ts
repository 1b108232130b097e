import type { BenchEnvironment } from "./environment.js";
import { type Load, type LoadResult, runLoad } from "./load.js";
import { type BenchDevice, benchDomain, createLoadClients } from "./load-clients.js";
import { part, processors, type Report, rate, table } from "./report.js";
import { driveInTurns, medianTurn, partOf, type TurnProfile } from "./turns.js";

/** Durations and amounts of a measurement. */
export interface Profile extends TurnProfile {
  seconds: number;
  senders: number;
  /** Senders that are subject to limits. */
  manySenders: number;
}

export const quickProfile: Profile = {
  ...{ warmUpSeconds: 5, turns: 5, turnSeconds: 1, seconds: 5 },
  ...{ senders: 64, manySenders: 200 },
};
export const fullProfile: Profile = {
  ...{ warmUpSeconds: 10, turns: 9, turnSeconds: 2, seconds: 10 },
  ...{ senders: 64, manySenders: 2_000 },
};

const connections = { single: 256, batch: 8 };
const batchSize = 100;
const recipientCount = 64;

/** A load of single sends and one of batches. */
interface Loads {
  single: Load;
  batch: Load;
}

export async function measureSends(environment: BenchEnvironment, profile: Profile, say: Say): Promise<Report> {
  const { loads, ...report } = await compareSends(environment, profile, say);
  await loads.single.target.stop();
  return report;
}

type Say = (line: string) => void;

/**
 * Drives a bare server, a relay without limits and a relay with limits in turns. The relay without limits keeps
 * running, with its loads.
 */
export async function compareSends(
  environment: BenchEnvironment,
  profile: Profile,
  say: Say,
): Promise<Report & { loads: Loads }> {
  const nobody: BenchDevice = { token: "none", address: `00000000-0000-4000-8000-000000000000@${benchDomain}` };
  const bare = await environment.startFloor(await environment.createDatabase("floor"));
  const ofBare = loadsOf({ target: bare, senders: [nobody], recipients: [nobody] }, profile);
  const loads = await openLoads(environment, profile);
  const limited = await environment.startRelay(await environment.createDatabase("limited"), limits);
  const many = await createLoadClients(limited.port, profile.manySenders);
  const ofLimited = loadsOf({ target: limited, senders: many, recipients: many }, profile);
  const drive = (kind: keyof Loads) => {
    say(`${kind} sends, in turns: a bare server, a relay, a relay with limits`);
    const driven = (load: Load) => (time: Pick<Load, "warmUpSeconds" | "seconds">) => runLoad({ ...load, ...time });
    const sides = { bare: driven(ofBare[kind]), relay: driven(loads[kind]), limited: driven(ofLimited[kind]) };
    return driveInTurns(sides, profile);
  };
  const turns = { single: await drive("single"), batch: await drive("batch") };
  await bare.stop();
  await limited.stop();
  return { ...reportOf(turns), loads };
}

/** Limits are enforced, but too high to be reached. */
const limits = {
  SEED_RATE_LIMITING_ENABLED: "true",
  SEED_PROGRESSIVE_TRUST_ENABLED: "false",
  SEED_PROGRESSIVE_TRUST_TRUSTED_TIER_LIMIT: "1000000",
};

/** A relay without limits, and devices of which some send to the others. */
export async function openLoads(environment: BenchEnvironment, profile: Profile, databaseUrl?: string): Promise<Loads> {
  const target = await environment.startRelay(databaseUrl ?? (await environment.createDatabase("unlimited")));
  const clients = await createLoadClients(target.port, profile.senders + recipientCount);
  return loadsOf(
    { target, senders: clients.slice(recipientCount), recipients: clients.slice(0, recipientCount) },
    profile,
  );
}

function loadsOf(
  sides: Pick<Load, "target" | "senders" | "recipients">,
  { warmUpSeconds, seconds }: Pick<Profile, "warmUpSeconds" | "seconds">,
): Loads {
  const given = { ...sides, warmUpSeconds, seconds };
  return {
    single: { ...given, batch: 1, connections: connections.single },
    batch: { ...given, batch: batchSize, connections: connections.batch },
  };
}

type Turns = Record<"bare" | "relay" | "limited", LoadResult[]>;

/** Ratios are medians of the turns, rates those of the turn with the median rate. */
function reportOf(turns: Record<keyof Loads, Turns>): Report {
  const result = { single: resultOf(turns.single), batch: resultOf(turns.batch) };
  const rows = Object.entries(result).flatMap(([kind, { bare, relay, limited, parts }]) => {
    const name = kind === "single" ? "single sends" : `sends in batches of ${batchSize}`;
    return [
      [`bare HTTP server, ${name}`, rate(bare.perSecond), "the floor"],
      [name, rate(relay.perSecond), part(parts.relay, "bare")],
      [`${name}, limits on`, rate(limited.perSecond), part(parts.limited, "bare")],
      ["processor time a message", processors(relay), `bare: ${processors(bare)}`],
    ];
  });
  return { text: table(["measure", "value", "beside"], rows), result: { sends: result } };
}

function resultOf({ bare, relay, limited }: Turns) {
  return {
    ...{ bare: medianTurn(bare), relay: medianTurn(relay), limited: medianTurn(limited) },
    parts: { relay: partOf(relay, bare), limited: partOf(limited, bare) },
  };
}
