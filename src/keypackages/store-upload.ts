import type { Db } from "../platform/database/connection.js";
import { RelayError } from "../protocol/errors.js";
import {
  type Account,
  countAvailable,
  deleteOne,
  deleteStored,
  insertPackages,
  openAccount,
  updateAccount,
} from "./store.js";
import type { Upload } from "./upload.js";

/** Where and until when an upload is stored. */
export interface Place {
  deviceId: string;
  now: number;
  expiresAt: number;
  /** Most packages that the device may have stored. */
  limit: number;
}

export interface Stored {
  uploaded: number;
  available: number;
}

/**
 * Stores an upload in the caller's transaction; uploads and hand-outs of one device come one after the other. Throws
 * CONFLICT, which undoes all of it, where the device would have more packages than it may.
 *
 * A package is either the last-resort one or one of the others: sent as both, or sent as an ordinary one later, it stays
 * the last-resort one.
 */
export async function storeUpload(db: Db, upload: Upload, place: Place): Promise<Stored> {
  const { deviceId, now, expiresAt } = place;
  const account = await openAccount(db, deviceId);
  await deleteStored(db, { deviceId, now, all: upload.replace });
  const lastResort = lastResortAfter(account, upload, place);
  if (upload.lastResort !== undefined) await deleteOne(db, { deviceId, keyPackage: upload.lastResort });
  const packages = upload.packages.filter((one) => lastResort.lastResort?.equals(one) !== true);
  const uploaded = await insertPackages(db, { deviceId, packages, after: account.lastPosition, expiresAt });
  await updateAccount(db, deviceId, { ...lastResort, lastPosition: account.lastPosition + packages.length });
  const available = await countAvailable(db, { deviceId, now });
  if (available > place.limit) throw tooMany(place.limit);
  return { uploaded, available };
}

/** The answer to an upload that was stored before: sent again, by its device or by somebody else, it changes nothing. */
export async function readStored(db: Db, { deviceId, now }: Place): Promise<Stored> {
  return { uploaded: 0, available: await countAvailable(db, { deviceId, now }) };
}

/** The last-resort package after the upload: the one it brings, else the one that stood, unless it is replaced. */
function lastResortAfter(
  account: Account,
  { lastResort, replace }: Upload,
  { now, expiresAt }: Place,
): Pick<Account, "lastResort" | "lastResortExpiresAt"> {
  if (lastResort !== undefined) return { lastResort, lastResortExpiresAt: expiresAt };
  if (replace || (account.lastResortExpiresAt ?? 0) <= now) return { lastResort: null, lastResortExpiresAt: null };
  return { lastResort: account.lastResort, lastResortExpiresAt: account.lastResortExpiresAt };
}

function tooMany(limit: number): RelayError {
  return new RelayError("CONFLICT", `a device may have ${limit} key packages stored; nothing was added`);
}
