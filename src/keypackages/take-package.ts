import type { Db } from "../database/db.js";
import { RelayError } from "../protocol/errors.js";
import type { Prefix } from "../protocol/identifiers.js";
import type { Sparing } from "./last-resort.js";
import { type Account, findLastResort, lockAccount, takeOldest } from "./store.js";

/** A package that was given out. */
export interface TakenPackage {
  keyPackage: Buffer;
  /** The number of packages left in its pool, without the last-resort package. */
  remaining: number;
  lastResort: boolean;
  /** Whether it was of the pool for all addresses of the device. */
  isShared: boolean;
}

/**
 * Takes the oldest package for all addresses of a device, or else the last-resort one. The account's lock makes concurrent
 * requests run one by one. Throws NO_KEY_PACKAGES.
 */
export async function takeKeyPackage(db: Db, of: { deviceId: string; now: number }): Promise<TakenPackage> {
  const account = await lockAccount(db, of.deviceId);
  if (account === undefined) throw none();
  return (await takeShared(db, of)) ?? lastResortOf(account, of.now) ?? refuse(none());
}

/**
 * The same for one address: its own packages come first, then its own last-resort package, then the packages for all
 * addresses.
 */
export async function takeKeyPackageFor(
  db: Db,
  of: { deviceId: string; prefix: Prefix; now: number },
  sparing: Sparing,
): Promise<TakenPackage> {
  const account = await lockAccount(db, of.deviceId);
  if (account === undefined) throw none();
  const ownLastResort = await lastResortFor(db, of);
  const lastResort = ownLastResort ?? lastResortOf(account, of.now);
  if (sparing !== "no" && lastResort !== undefined) return lastResort;
  if (sparing instanceof RelayError) throw sparing;
  const own = await takeOldest(db, of);
  if (own !== undefined) return { ...own, lastResort: false, isShared: false };
  return ownLastResort ?? (await takeShared(db, of)) ?? lastResort ?? refuse(none());
}

async function takeShared(db: Db, of: { deviceId: string; now: number }): Promise<TakenPackage | undefined> {
  const oldest = await takeOldest(db, { ...of, prefix: null });
  return oldest && { ...oldest, lastResort: false, isShared: true };
}

async function lastResortFor(
  db: Db,
  of: { deviceId: string; prefix: Prefix; now: number },
): Promise<TakenPackage | undefined> {
  const keyPackage = await findLastResort(db, of);
  return keyPackage && { keyPackage, remaining: 0, lastResort: true, isShared: false };
}

function lastResortOf({ lastResort, lastResortExpiresAt }: Account, now: number): TakenPackage | undefined {
  if (lastResort === null || (lastResortExpiresAt ?? 0) <= now) return undefined;
  return { keyPackage: lastResort, remaining: 0, lastResort: true, isShared: true };
}

function none(): RelayError {
  return new RelayError("NO_KEY_PACKAGES", "the device has no key package left");
}

function refuse(error: RelayError): never {
  throw error;
}
