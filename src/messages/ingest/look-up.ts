import type { Pipeline } from "../../database/db.js";
import { placeKey } from "../../database/key-placement.js";
import { together } from "../../database/pipeline/pipelines.js";
import type { Placement } from "../../database/placement.js";
import { createLruCache } from "../../platform/lru-cache.js";
import type { ServerSettings } from "../../settings/service.js";
import { type DeviceProfile, findDeviceProfiles, findRecipients } from "../model/read-model.js";
import type { Deduplication } from "./deduplication/key-retention.js";
import { without, withRefusals } from "./early-refusals.js";
import type { Context, LookedUpFlush, ParsedFlush } from "./flush.js";
import { type Allowance, allowanceOf } from "./limits/messages-per-hour.js";
import { isRemote, type LookedUp, type Parsed, sendersOf, unique } from "./model/stages.js";
import type { RecentRefusals } from "./recent-refusals.js";
import { unreachableAfterLookUp } from "./unreachable-machines.js";

// The stage Parsed -> LookedUp: finds the recipients of messages and the allowances of their senders, and refuses what
// need not go further.

export interface LookUps {
  /**
   * Looks up from memory alone; undefined if a recipient or a sender is not remembered, if a message may be refused
   * early, or if the look-ups must show which machines are needed.
   */
  recall(flush: ParsedFlush): Promise<LookedUpFlush | undefined>;
  /**
   * Two lock-free reads that are sent together: of the holders of the addresses, and of the devices that probably are
   * these holders. Devices that were not guessed are read afterwards.
   */
  read(db: Pipeline, flush: ParsedFlush): Promise<LookedUpFlush>;
}

interface LookUpDeps {
  now(): number;
  settings(): ServerSettings;
  missesPerSend: number;
  keyRulesAt: Deduplication["rulesAt"];
  placement: Pick<Placement, "canBePartlyDown" | "isDown" | "someAreDown">;
}

const rememberedAddresses = 100_000;
const rememberedProfiles = 20_000;

interface Found {
  /** Device ids by prefix. */
  holders: ReadonlyMap<string, string>;
  profiles: ReadonlyMap<string, DeviceProfile>;
}

/**
 * Remembers what was found last: device ids by the prefixes at which they were found, and profiles by device. That
 * saves round trips but decides nothing: everything is read again before anything is stored.
 */
export function createLookUps(deps: LookUpDeps, recentRefusals: RecentRefusals): LookUps {
  const { placement } = deps;
  const remembered = {
    holders: createLruCache<string, string>(rememberedAddresses),
    profiles: createLruCache<string, DeviceProfile>(rememberedProfiles),
  };
  const isDown = (id: string): boolean => placement.isDown("device", id);

  const knownNow = async (): Promise<Omit<Context, "allowances">> => {
    const [now, settings] = [deps.now(), deps.settings()];
    const rules = { now, windowSeconds: settings.rate_limiting.window_seconds, missesPerSend: deps.missesPerSend };
    const keyRules = await deps.keyRulesAt(now, settings.server.max_retention_days);
    return { now, settings, rules, keyRules };
  };
  const confirmRecalled = async (db: Pipeline, { holders, profiles }: Found, at: number): Promise<boolean> => {
    const [prefixes, ids] = [[...holders.keys()], [...profiles.keys()]];
    const now = await readAll(db, { prefixes, ids, now: at });
    const moved = prefixes.filter((prefix) => now.holders.get(prefix) !== holders.get(prefix));
    const changed = ids.filter((id) => !areEqual(now.profiles.get(id), profiles.get(id)));
    for (const prefix of moved) remembered.holders.delete(prefix);
    for (const id of changed) remembered.profiles.delete(id);
    return moved.length === 0 && changed.length === 0;
  };
  const recallFound = (parsed: readonly Parsed[]): Found | undefined => {
    const [holders, profiles] = [new Map<string, string>(), new Map<string, DeviceProfile>()];
    for (const prefix of prefixesOf(parsed)) {
      const id = remembered.holders.get(prefix);
      if (id === undefined) return undefined;
      holders.set(prefix, id);
    }
    for (const id of [...sendersOf(parsed), ...holders.values()]) {
      const profile = remembered.profiles.get(id);
      if (profile === undefined) return undefined;
      profiles.set(id, profile);
    }
    return { holders, profiles };
  };

  const readFound = async (db: Pipeline, parsed: readonly Parsed[], now: number): Promise<Found> => {
    const prefixes = prefixesOf(parsed);
    const guessed = prefixes.map((prefix) => remembered.holders.get(prefix)).filter((id) => id !== undefined);
    const asked = new Set([...sendersOf(parsed), ...guessed].filter((id) => !isDown(id)));
    const { holders, profiles } = await readAll(db, { prefixes, ids: [...asked], now });
    const missing = unique([...holders.values()].filter((id) => !asked.has(id) && !isDown(id)));
    const more = missing.length === 0 ? [] : await findDeviceProfiles(db, missing);
    const found = { holders, profiles: new Map([...profiles, ...more]) };
    for (const [prefix, id] of found.holders) remembered.holders.set(prefix, id);
    for (const [id, profile] of found.profiles) remembered.profiles.set(id, profile);
    return found;
  };

  return {
    async recall(flush) {
      if (placement.canBePartlyDown) return undefined;
      const parsed = without(flush.parsed, flush.unreachable);
      const known = await knownNow();
      const found = recallFound(parsed);
      if (found === undefined) return undefined;
      const context = { ...known, allowances: allowancesOf(parsed, found, known) };
      const messages = withRecipients(parsed, found);
      if (recentRefusals.mayRefuse(messages, context)) return undefined;
      return {
        context,
        open: messages,
        confirm: (db) => confirmRecalled(db, found, known.now),
        answersFor: (decided) => withRefusals(flush.parsed, flush.unreachable, decided),
      };
    },
    async read(db, flush) {
      const parsed = without(flush.parsed, flush.unreachable);
      const known = await knownNow();
      const found = await readFound(db, parsed, known.now);
      const context = { ...known, allowances: allowancesOf(parsed, found, known) };
      const messages = withRecipients(parsed, found);
      const unreachable = unreachableAfterLookUp(messages, found.holders, placement);
      const refusals = await recentRefusals.refuse(messages, context, unreachable);
      return {
        context,
        open: without(messages, refusals),
        confirm: undefined,
        answersFor: (decided) =>
          withRefusals(flush.parsed, flush.unreachable, withRefusals(messages, refusals, decided)),
      };
    },
  };
}

async function readAll(
  db: Pipeline,
  { prefixes, ids, now }: { prefixes: readonly string[]; ids: readonly string[]; now: number },
): Promise<Found> {
  const [holders, profiles] = await together([
    prefixes.length === 0 ? Promise.resolve(new Map<string, string>()) : findRecipients(db, { prefixes, now }),
    ids.length === 0 ? Promise.resolve(new Map<string, DeviceProfile>()) : findDeviceProfiles(db, ids),
  ]);
  return { holders, profiles };
}

function withRecipients(parsed: readonly Parsed[], { holders, profiles }: Found): LookedUp[] {
  return parsed.map((message) =>
    withRecipient(message, isRemote(message) ? undefined : profiles.get(holders.get(message.envelope.recipient) ?? "")),
  );
}

function withRecipient(parsed: Parsed, recipient: DeviceProfile | undefined): LookedUp {
  // Every member in one literal: this runs for each message, and object spread costs ten times as much.
  return {
    sender: parsed.sender,
    envelope: parsed.envelope,
    key: recipient === undefined ? parsed.key : placeKey(parsed.key, recipient.device_id),
    acceptedAtMillis: parsed.acceptedAtMillis,
    toMany: parsed.toMany,
    recipient,
  };
}

function allowancesOf(
  parsed: readonly Parsed[],
  { profiles }: Found,
  known: Pick<Context, "now" | "settings">,
): ReadonlyMap<string, Allowance> {
  const allowances = new Map<string, Allowance>();
  for (const id of sendersOf(parsed)) {
    const profile = profiles.get(id);
    if (profile !== undefined) allowances.set(id, allowanceOf(profile, known));
  }
  return allowances;
}

function prefixesOf(parsed: readonly Parsed[]): string[] {
  return unique(parsed.filter((message) => !isRemote(message)).map(({ envelope }) => envelope.recipient));
}

function areEqual(one: DeviceProfile | undefined, other: DeviceProfile | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (Object.keys(one) as (keyof DeviceProfile)[]).every((name) => one[name] === other[name]);
}
