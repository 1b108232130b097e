import type { Database, Transaction } from "../database/db.js";
import type { Notifications } from "../database/pool/notifications.js";
import type { Clock } from "../node/clock.js";
import { createRefreshingCache } from "../node/refreshing-cache.js";
import type { SharedPoll } from "../node/shared-poll.js";
import type { Logger } from "../platform/logger.js";
import { findPreset } from "./presets.js";
import { seedSettings } from "./seeds.js";
import { raiseVersion, readPreset, readStored, replaceValues, settingsVersion, writePreset } from "./store.js";
import type { ServerSettings, SettingsPatch, SettingValue } from "./table.js";
import { buildSettings, readPatch, type SettingValues } from "./validation.js";

export { type MachinePreset, machinePresets } from "./machine-presets.js";
export { findPreset, type Preset, presets } from "./presets.js";
export { describeSeeds, listSeeds, readSeeds, readTexts, seedVariables } from "./seeds.js";
export { rulesByName, type ServerSettings, type SettingsPatch, type SettingValue } from "./table.js";

/** What a change did: the dotted names it gave, and their values before and after. */
export interface SettingsChange {
  updatedAt: number;
  updatedFields: string[];
  before: Record<string, SettingValue>;
  after: Record<string, SettingValue>;
}

/** Called in the transaction that changes settings, to leave a record of it. */
export type SettingsNote = (trx: Transaction, change: SettingsChange) => Promise<void>;

/** The administrators' configuration, the same on every node within a second of a change. */
export type SettingsService = ReturnType<typeof createSettingsService>;

export interface SettingsDeps {
  db: Database;
  clock: Clock;
  logger: Logger;
  notifications: Pick<Notifications, "notify" | "listen">;
  poll: Pick<SharedPoll, "follow" | "ask" | "onFailover">;
  /** Values for the first start; later the stored values apply. */
  seeds: SettingsPatch;
  /** A preset that is applied at the start, unless it was the last one applied, and recorded in the same transaction. */
  preset: { name: string; note: PresetNote } | null;
}

type PresetNote = (trx: Transaction, name: string, change: SettingsChange) => Promise<void>;

const channel = "settings";

/**
 * Every node keeps a copy of the tree. It is read again when the stored version has moved; the version is polled twice a
 * second, and at once when another node notifies of a change. The poll is the truth, the message a hint. While the database
 * cannot be asked, the last known values stay in use.
 */
export function createSettingsService(deps: SettingsDeps) {
  const { db, clock, logger, notifications } = deps;
  let version = -1;
  let settings = buildSettings(new Map());
  let stopListening = (): void => {};

  const load = async (): Promise<void> => {
    const stored = await readStored(db);
    if (stored.version <= version) return;
    version = stored.version;
    settings = buildSettings(stored.values);
  };
  const cache = createRefreshingCache({
    name: "settings",
    version: { sql: settingsVersion },
    poll: deps.poll,
    logger,
    read: load,
    forget() {
      version = -1;
    },
  });

  /** A value given for the first start has precedence over the preset's. */
  const applyOnce = async ({ name, note }: NonNullable<SettingsDeps["preset"]>): Promise<void> => {
    const patch = withoutKeysOf(findPreset(name).settings, deps.seeds);
    const change = await storePreset(db, { name, values: readPatch(patch), now: clock.nowSeconds() }, (trx, made) =>
      note(trx, name, made),
    );
    if (change !== null) logger.info({ preset: name, changes: change.after }, "the preset is applied");
  };

  return {
    /** The tree as this node knows it, at most a second old. */
    current: (): ServerSettings => settings,
    /** The preset that was applied last; null if none was. */
    appliedPreset: (): Promise<string | null> => readPreset(db),
    /** Applies a preset, whatever was applied before. Throws a ConfigError if there is none of this name. */
    async applyPreset(name: string, note?: SettingsNote): Promise<SettingsChange> {
      const values = readPatch(findPreset(name).settings);
      const change = await storePreset(db, { name, values, now: clock.nowSeconds(), again: true }, note);
      await cache.refresh();
      notifications.notify(channel, "");
      return change as SettingsChange;
    },
    async start(): Promise<void> {
      await seedSettings(db, deps.seeds, clock.nowSeconds());
      if (deps.preset !== null) await applyOnce(deps.preset);
      await cache.start();
      stopListening = notifications.listen(channel, () => void deps.poll.ask().catch(() => undefined));
    },
    async stop(): Promise<void> {
      stopListening();
      await cache.stop();
    },
    /**
     * Merges a partial tree into the stored one and answers once this node uses it. Changes made at once are all
     * applied, one after the other. Throws INVALID_CONFIG for an unknown key or a value out of range and INVALID_REQUEST
     * for a value of the wrong type; nothing is changed then. `note` records the change in the transaction that makes it.
     */
    async update(patch: SettingsPatch, by: string | null, note?: SettingsNote): Promise<SettingsChange> {
      const values = readPatch(patch);
      const change = await store(db, values, { now: clock.nowSeconds(), by, note });
      await cache.refresh();
      notifications.notify(channel, "");
      return change;
    },
  };
}

function withoutKeysOf(patch: SettingsPatch, others: SettingsPatch): SettingsPatch {
  const groups = Object.entries(patch).map(([group, keys]) => {
    const given = others[group as keyof SettingsPatch] ?? {};
    return [group, Object.fromEntries(Object.entries(keys).filter(([key]) => !Object.hasOwn(given, key)))] as const;
  });
  return Object.fromEntries(groups) as SettingsPatch;
}

/** Null if the preset was the last one applied, unless it is to be applied again. */
async function storePreset(
  db: Database,
  { name, values, now, again = false }: { name: string; values: SettingValues; now: number; again?: boolean },
  note: SettingsNote | undefined,
): Promise<SettingsChange | null> {
  return db.transaction(async (transaction) => {
    await raiseVersion(transaction);
    if (!again && (await readPreset(transaction)) === name) return null;
    const change = await storeIn(transaction, values, { note, now, by: null });
    await writePreset(transaction, name, now);
    return change;
  });
}

interface NotedChange {
  now: number;
  by: string | null;
  note: SettingsNote | undefined;
}

async function store(db: Database, values: SettingValues, change: NotedChange): Promise<SettingsChange> {
  return db.transaction(async (transaction) => {
    await raiseVersion(transaction);
    return storeIn(transaction, values, change);
  });
}

/** In a transaction that has raised the version, so that changes follow each other. */
async function storeIn(
  transaction: Transaction,
  values: SettingValues,
  { note, ...change }: NotedChange,
): Promise<SettingsChange> {
  const { values: stored } = await readStored(transaction);
  await replaceValues(transaction, values, change);
  const names = [...values.keys()];
  const made = {
    updatedAt: change.now,
    updatedFields: names,
    before: Object.fromEntries(names.map((name) => [name, stored.get(name) as SettingValue])),
    after: Object.fromEntries(values),
  };
  await note?.(transaction, made);
  return made;
}
