import type { Db } from "../database/db.js";
import type { PushUrgency } from "./types.js";

/** A subscription as it is stored. Times are Unix seconds. */
export interface StoredSubscription {
  deviceId: string;
  sealed: Buffer;
  service: Buffer;
  keyId: string;
  urgency: PushUrgency;
  createdAt: number;
  expiresAt: number | null;
  codeHash: Buffer;
  codeExpiresAt: number;
  confirmed: boolean;
  pushedAt: number | null;
}

const storedColumns = `
  device_id as "deviceId", sealed, service, key_id as "keyId", urgency, created_at as "createdAt", expires_at as "expiresAt",
  code_hash as "codeHash", code_expires_at as "codeExpiresAt", confirmed, pushed_at as "pushedAt"`;

export async function readSubscription(db: Db, deviceId: string): Promise<StoredSubscription | undefined> {
  const sql = `select ${storedColumns} from push_subscriptions where device_id = :deviceId::text`;
  return db.one<StoredSubscription>(sql, { deviceId });
}

/** Every column but the key. What the insert does not name gets its default. */
const replaced = [
  ...[
    "sealed",
    "service",
    "key_id",
    "urgency",
    "created_at",
    "expires_at",
    "code_hash",
    "code_expires_at",
    "confirmed",
  ],
  ...["due_at_millis", "due_since_millis", "due_urgency", "attempts", "lease", "leased_until_millis"],
  ...["pushed_at", "pushed_position", "pushed_cursor", "low_pushed_at", "unanswered"],
]
  .map((column) => `${column} = excluded.${column}`)
  .join(", ");

/** Stores a subscription that the device must confirm, in place of an earlier one. */
export async function replaceSubscription(
  db: Db,
  given: Omit<StoredSubscription, "confirmed" | "pushedAt">,
): Promise<void> {
  await db.run(
    `insert into push_subscriptions
       (device_id, sealed, service, key_id, urgency, created_at, expires_at, code_hash, code_expires_at)
     values (:deviceId::text, :sealed::bytea, :service::bytea, :keyId::text, :urgency::text, :createdAt::bigint,
             :expiresAt::bigint, :codeHash::bytea, :codeExpiresAt::bigint)
     on conflict (device_id) do update set ${replaced}`,
    { ...given },
  );
}

/** Changes what a repeated request may change without another code. */
export async function updateSubscription(
  db: Db,
  given: Pick<StoredSubscription, "deviceId" | "urgency" | "expiresAt">,
): Promise<void> {
  await db.run(
    `update push_subscriptions set urgency = :urgency::text, expires_at = :expiresAt::bigint
     where device_id = :deviceId::text`,
    { ...given },
  );
}

/** False if the subscription has been replaced, or if this is not its code. */
export async function confirmSubscription(db: Db, given: { deviceId: string; codeHash: Buffer }): Promise<boolean> {
  const confirmed = await db.rows(
    `update push_subscriptions set confirmed = true
     where device_id = :deviceId::text and code_hash = :codeHash::bytea
     returning 1`,
    given,
  );
  return confirmed.length > 0;
}

/** Removes subscriptions; returns the number of them. */
export async function deleteSubscriptions(db: Db, deviceIds: readonly string[]): Promise<number> {
  const sql = "delete from push_subscriptions where device_id = any(:deviceIds::text[]) returning 1";
  return (await db.rows(sql, { deviceIds })).length;
}

/** Removes a subscription unless it has been replaced. */
export async function deleteSubscription(db: Db, given: { deviceId: string; codeHash: Buffer }): Promise<void> {
  await db.run(
    "delete from push_subscriptions where device_id = :deviceId::text and code_hash = :codeHash::bytea",
    given,
  );
}

/** Removes up to `limit` subscriptions that have expired, or that were made for another VAPID key; returns how many. */
export async function deleteUseless(db: Db, given: { now: number; keyId: string; limit: number }): Promise<number> {
  const deleted = await db.rows(
    `delete from push_subscriptions where device_id = any(array(
       select device_id from push_subscriptions
       where expires_at <= :now::bigint or key_id <> :keyId::text
          or (not confirmed and code_expires_at <= :now::bigint)
       limit :limit::integer
     )) returning 1`,
    given,
  );
  return deleted.length;
}
