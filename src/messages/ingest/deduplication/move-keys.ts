import type { Database } from "../../../database/db.js";
import { createPartition, findMissingPartitions, keepDays } from "./key-partitions-store.js";

// If the placement has partitions, most keys are in the partitions of their days; otherwise all are in the table in
// which each has an expiry. When a database is spread over machines, or a backup of such a database is restored on one
// machine, its keys move to the other table, unchanged. No relay may be running meanwhile.

// The day of a key, in days since 1970.
const day = "('x' || left(key::text, 4))::bit(16)::integer";

/** Moves all keys to the table in which each has an expiry. */
export async function moveKeysOutOfPartitions(db: Database): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.run(
      `-- every shard
       insert into message_keys_with_expiry (key, expires_on)
       select key, coalesce(d.kept_until, (select max(kept_until) from message_key_days), 0)
       from message_keys left join message_key_days as d on d.day = ${day}
       on conflict (key) do nothing`,
    );
    await trx.run("truncate message_keys");
  });
}

/**
 * Copies the keys that are looked up in partitions to their partitions: the keys of `today`, in days since 1970, and of
 * later days. They keep their expiry. A second run changes nothing.
 */
export async function copyKeysIntoPartitions(db: Database, today: number): Promise<void> {
  const days = { first: today, last: today + 1 };
  // The relay that starts next extends them.
  await keepDays(db, { ...days, retentionDays: 0 });
  for (const missing of await findMissingPartitions(db, days)) await createPartition(db, missing);
  await db.run(
    `-- every shard
     insert into message_keys (key)
     select key from message_keys_with_expiry where ${day} between :today::integer and expires_on + 1
     on conflict (key) do nothing`,
    { today },
  );
}
