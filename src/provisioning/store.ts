import type { Db } from "../database/db.js";

/** An address, as polls read it. Times are Unix seconds. */
export interface Address {
  expiresAt: number;
  pollTokenHash: Buffer;
  /** The poll that may take the blob; null before the first poll. */
  waiter: string | null;
  isFilled: boolean;
  /** The hash of the download that has got the blob, and may get it again. */
  deliveredTo: Buffer | null;
  /** The short code that somebody can type instead of scanning the QR code. */
  code: string | null;
}

/** Stores a new address. */
export async function insertAddress(
  db: Db,
  address: { id: string; pollTokenHash: Buffer; expiresAt: number },
): Promise<void> {
  await db.run(
    `insert into provisioning_addresses (id, poll_token_hash, expires_at)
     values (:id::uuid, :pollTokenHash::bytea, :expiresAt::bigint)`,
    address,
  );
}

/** Finds an address that has not expired. */
export async function findAddress(db: Db, at: { id: string; now: number }): Promise<Address | undefined> {
  const address = await db.one<Address>(
    `select expires_at as "expiresAt", poll_token_hash as "pollTokenHash", waiter, ciphertext is not null as "isFilled",
            delivered_to as "deliveredTo", code
     from provisioning_addresses where id = :id::uuid and expires_at > :now::bigint`,
    at,
  );
  return address;
}

/** Stores a blob at an empty address; returns its expiry, or `undefined` if the address is filled or does not exist. */
export async function putBlob(
  db: Db,
  blob: { id: string; ciphertext: Buffer; now: number },
): Promise<number | undefined> {
  const filled = await db.one<{ expires_at: number }>(
    `update provisioning_addresses set ciphertext = :ciphertext::bytea
     where id = :id::uuid and expires_at > :now::bigint and ciphertext is null
     returning expires_at`,
    blob,
  );
  return filled?.expires_at;
}

/** Gives an address a code, unless it has one; returns whether it was free. */
export async function setCode(db: Db, address: { id: string; code: string; qr: string }): Promise<boolean> {
  const set = await db.one<{ id: string }>(
    `update provisioning_addresses set code = :code::text, qr = :qr::text
     where id = :id::uuid and code is null
           and not exists (select from provisioning_addresses other where other.code = :code::text)
     returning id`,
    address,
  );
  return set !== undefined;
}

/** Finds the text of the QR code of an empty address that has not expired. */
export async function findQr(db: Db, at: { code: string; now: number }): Promise<string | undefined> {
  const found = await db.one<{ qr: string }>(
    `select qr from provisioning_addresses
     where code = :code::text and expires_at > :now::bigint and ciphertext is null`,
    at,
  );
  return found?.qr;
}

/** Makes a poll the one that may take the blob. */
export async function setWaiter(db: Db, at: { id: string; waiter: string }): Promise<void> {
  await db.run("update provisioning_addresses set waiter = :waiter::uuid where id = :id::uuid", at);
}

/** Takes the blob for a download, which may take it again until the address expires. */
export async function takeBlobFor(
  db: Db,
  at: { id: string; waiter: string; now: number; download: Buffer },
): Promise<Buffer | undefined> {
  const taken = await db.one<{ ciphertext: Buffer }>(
    `update provisioning_addresses set delivered_to = :download::bytea
     where id = :id::uuid and waiter = :waiter::uuid and expires_at > :now::bigint and ciphertext is not null
           and (delivered_to is null or delivered_to = :download::bytea)
     returning ciphertext`,
    at,
  );
  return taken?.ciphertext;
}

/** Takes the blob, if there is one and this poll may take it, and deletes the address. */
export async function takeBlob(db: Db, at: { id: string; waiter: string; now: number }): Promise<Buffer | undefined> {
  const taken = await db.one<{ ciphertext: Buffer }>(
    `delete from provisioning_addresses
     where id = :id::uuid and waiter = :waiter::uuid and expires_at > :now::bigint and ciphertext is not null
           and delivered_to is null
     returning ciphertext`,
    at,
  );
  return taken?.ciphertext;
}

/** Deletes up to `limit` expired addresses and their blobs; returns how many. */
export async function deleteExpired(db: Db, range: { now: number; limit: number }): Promise<number> {
  const deleted = await db.rows(
    `delete from provisioning_addresses
     where id in (
       select id from provisioning_addresses
       where expires_at <= :now::bigint order by expires_at limit :limit::int
       for update skip locked)
     returning id`,
    range,
  );
  return deleted.length;
}

/** Deletes every address. */
export async function deleteAll(db: Db): Promise<void> {
  await db.run("delete from provisioning_addresses");
}
