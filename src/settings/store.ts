import type { Db } from "../database/db.js";
import type { SettingValues } from "./validation.js";

/** What is stored, together with the version it belongs to. */
interface StoredSettings {
  version: number;
  values: ReadonlyMap<string, unknown>;
}

/** The number that grows with every change. */
export const settingsVersion = "select version from settings_version";

/** All values and their version, read in one statement so that they fit together. */
export async function readStored(db: Db): Promise<StoredSettings> {
  const found = await db.rows<{ version: number; key: string | null; value: unknown }>(
    `select v.version, s.key, s.value
     from settings_version v left join settings s on true`,
  );
  const stored = found.filter((row) => row.key !== null);
  return {
    version: found[0]?.version ?? 0,
    values: new Map(stored.map((row) => [row.key as string, row.value])),
  };
}

/** Raises the version, and thereby blocks every other change until this transaction ends. */
export async function raiseVersion(db: Db): Promise<void> {
  await db.run("update settings_version set version = version + 1");
}

/** Stores the values of keys that have none. */
export async function insertMissing(db: Db, values: SettingValues, now: number): Promise<number> {
  const inserted = await db.rows(
    `insert into settings (key, value, updated_at)
     select key, value::jsonb, :now::bigint
     from unnest(:keys::text[], :values::text[]) as given (key, value)
     on conflict (key) do nothing
     returning key`,
    { ...columns(values), now },
  );
  return inserted.length;
}

/** Stores the values of these keys, whatever they had. */
export async function replaceValues(
  db: Db,
  values: SettingValues,
  change: { now: number; by: string | null },
): Promise<void> {
  await db.run(
    `insert into settings (key, value, updated_at, updated_by)
     select key, value::jsonb, :now::bigint, :by::text
     from unnest(:keys::text[], :values::text[]) as given (key, value)
     on conflict (key) do update
     set value = excluded.value, updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
    { ...columns(values), ...change },
  );
}

/** The name of the last applied preset is stored among the settings, under a name that no setting has. */
const presetKey = "preset";

export async function readPreset(db: Db): Promise<string | null> {
  const row = await db.one<{ name: string }>("select value #>> '{}' as name from settings where key = :presetKey", {
    presetKey,
  });
  return row?.name ?? null;
}

export async function writePreset(db: Db, name: string, now: number): Promise<void> {
  await replaceValues(db, new Map([[presetKey, name]]), { now, by: null });
}

function columns(values: SettingValues): { keys: string[]; values: string[] } {
  return { keys: [...values.keys()], values: [...values.values()].map((value) => JSON.stringify(value)) };
}
