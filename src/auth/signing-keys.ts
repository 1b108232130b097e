import type { KeyObject } from "node:crypto";
import type { Database, Transaction } from "../database/db.js";
import { type Clock, secondsSince } from "../node/clock.js";
import { createRefreshingCache } from "../node/refreshing-cache.js";
import type { SharedPoll } from "../node/shared-poll.js";
import { type Awaitable, chain } from "../platform/concurrency/awaitable.js";
import type { Logger } from "../platform/logger.js";
import type { AuthSettings } from "./config.js";
import { generateSigningKey, type PublicJwk, privateKeyFromRaw, publicJwk, publicKeyFromRaw } from "./ed25519-keys.js";
import type { MasterKey } from "./master-key.js";
import {
  deleteKeysRetiredBefore,
  insertSigningKey,
  readSigningKeys,
  retireOtherKeys,
  revokeSigningKey,
  type SigningKeyRow,
  signingKeysVersion,
  withKeysLocked,
} from "./signing-keys-store.js";

/** Shortest interval at which unknown key ids reload the signing keys. */
const signingKeyReloadSeconds = 1;

/** A key as operators see it. Times are Unix seconds. */
export interface SigningKeyState {
  kid: string;
  state: "signing" | "verifying" | "revoked";
  createdAt: number;
  retiredAt: number | null;
  revokedAt: number | null;
}

/** Called in the transaction that changes a key, to leave a record of it. */
export type KeyNote = (trx: Transaction, action: "key_rotated" | "key_revoked", kid: string) => Promise<void>;

/** The server's own Ed25519 keys. One signs; earlier ones still verify until their last token has expired. */
export type SigningKeys = ReturnType<typeof createSigningKeys>;

interface LoadedKey {
  row: SigningKeyRow;
  publicKey: KeyObject;
  privateKey: KeyObject | undefined;
}

/** Keeps the keys in the table `signing_keys`, the private halves sealed under the master key. */
export function createSigningKeys(deps: {
  db: Database;
  masterKey: MasterKey;
  clock: Clock;
  logger: Logger;
  poll: Pick<SharedPoll, "follow" | "ask" | "onFailover">;
  config: Pick<AuthSettings, "retiredKeySeconds">;
}) {
  const { db, masterKey, clock, config } = deps;
  let keys = new Map<string, LoadedKey>();
  let reloadedAt = Number.NEGATIVE_INFINITY;
  const copy = createRefreshingCache({
    name: "signing keys",
    version: { sql: signingKeysVersion },
    poll: deps.poll,
    logger: deps.logger,
    read: async () => {
      const rows = await readSigningKeys(db);
      keys = new Map(rows.map((row) => [row.kid, load(masterKey, row, keys.get(row.kid))]));
    },
  });
  const verifies = (key: LoadedKey | undefined): key is LoadedKey => {
    if (key === undefined) return false;
    const { retired_at, revoked_at } = key.row;
    return revoked_at === null && (retired_at === null || retired_at + config.retiredKeySeconds > clock.nowSeconds());
  };
  const verifying = (key: LoadedKey | undefined) => (verifies(key) ? key.publicKey : undefined);
  const reloadForStranger = async (): Promise<void> => {
    if (secondsSince(reloadedAt, clock.nowSeconds()) < signingKeyReloadSeconds) return;
    reloadedAt = clock.nowSeconds();
    await copy.refresh();
  };

  return {
    /** Reads the keys and makes the first one. */
    async start(): Promise<void> {
      await withKeysLocked(db, (trx) => addKeyIfNoneSigns(trx, masterKey, clock.nowSeconds()));
      await copy.start();
    },
    stop: (): Promise<void> => copy.stop(),
    /** The key that signs, from a copy at most one second old. */
    async signer(): Promise<{ kid: string; privateKey: KeyObject }> {
      await copy.ensure();
      const key = [...keys.values()].findLast(signs);
      if (key?.privateKey === undefined) throw new Error("there is no signing key");
      return { kid: key.row.kid, privateKey: key.privateKey };
    },
    /** The key with this id if it may verify. An unknown id reloads the keys, but no more often than the configuration allows. */
    verifier(kid: string): Awaitable<KeyObject | undefined> {
      const looked = chain(copy.ensure(), () => (keys.has(kid) ? undefined : reloadForStranger()));
      return chain(looked, () => verifying(keys.get(kid)));
    },
    /** Whether a key that has verified a token may still do so, according to the copy in memory. */
    isValid: (kid: string): boolean => verifies(keys.get(kid)),
    /** The published key set: every key that may verify, the signing key first. */
    async published(): Promise<PublicJwk[]> {
      await copy.ensure();
      return publishedKeys([...keys.values()].filter(verifies));
    },
    async list(): Promise<SigningKeyState[]> {
      await copy.refresh();
      return [...keys.values()].map(({ row }) => describe(row));
    },
    /** Adds a key that signs from now on and returns its id; older keys keep verifying. */
    async rotate(note?: KeyNote): Promise<string> {
      const kid = await rotateKeys(deps, note);
      await copy.refresh();
      return kid;
    },
    /** Revokes a key and all its tokens at once; a new key replaces it if it was signing. Returns false for an unknown key. */
    async revoke(kid: string, note?: KeyNote): Promise<boolean> {
      const revoked = await revokeKey(deps, kid, note);
      await copy.refresh();
      return revoked;
    },
    /** Removes keys whose last token has expired. */
    removeExpired: (): Promise<void> => deleteKeysRetiredBefore(db, clock.nowSeconds() - config.retiredKeySeconds),
  };
}

type KeyTools = { db: Database; masterKey: MasterKey; clock: Clock };

function rotateKeys({ db, masterKey, clock }: KeyTools, note: KeyNote | undefined): Promise<string> {
  const now = clock.nowSeconds();
  return withKeysLocked(db, async (trx) => {
    const kid = await addKey(trx, masterKey, now);
    await retireOtherKeys(trx, kid, now);
    await note?.(trx, "key_rotated", kid);
    return kid;
  });
}

function revokeKey({ db, masterKey, clock }: KeyTools, kid: string, note: KeyNote | undefined): Promise<boolean> {
  const now = clock.nowSeconds();
  return withKeysLocked(db, async (trx) => {
    const done = await revokeSigningKey(trx, kid, now);
    await addKeyIfNoneSigns(trx, masterKey, now);
    if (done) await note?.(trx, "key_revoked", kid);
    return done;
  });
}

async function addKeyIfNoneSigns(trx: Transaction, masterKey: MasterKey, now: number): Promise<void> {
  const present = await readSigningKeys(trx);
  if (!present.some((row) => row.retired_at === null && row.revoked_at === null)) await addKey(trx, masterKey, now);
}

async function addKey(trx: Transaction, masterKey: MasterKey, now: number): Promise<string> {
  const { kid, ...pair } = generateSigningKey();
  const sealed = masterKey.seal(purpose(kid), pair.privateKey);
  await insertSigningKey(trx, { kid, public_key: pair.publicKey, sealed_private: sealed, created_at: now });
  return kid;
}

/** Decrypts a private key once, and not at all if it no longer signs. */
function load(masterKey: MasterKey, row: SigningKeyRow, before: LoadedKey | undefined): LoadedKey {
  if (!signs({ row }))
    return { row, publicKey: before?.publicKey ?? publicKeyFromRaw(row.public_key), privateKey: undefined };
  if (before?.privateKey !== undefined) return { ...before, row };
  const raw = masterKey.open(purpose(row.kid), row.sealed_private);
  return { row, publicKey: publicKeyFromRaw(row.public_key), privateKey: privateKeyFromRaw(raw) };
}

function signs(key: { row: SigningKeyRow }): boolean {
  return key.row.retired_at === null && key.row.revoked_at === null;
}

/** The signing key first, then the other keys, newest first. */
function publishedKeys(keys: readonly LoadedKey[]): PublicJwk[] {
  const ordered = [...keys].sort(
    (one, other) => Number(signs(other)) - Number(signs(one)) || other.row.created_at - one.row.created_at,
  );
  return ordered.map((key) => publicJwk(key.row.public_key));
}

function purpose(kid: string): string {
  return `signing key ${kid}`;
}

function describe(row: SigningKeyRow): SigningKeyState {
  const state = row.revoked_at !== null ? "revoked" : row.retired_at !== null ? "verifying" : "signing";
  return {
    kid: row.kid,
    state,
    createdAt: row.created_at,
    retiredAt: row.retired_at,
    revokedAt: row.revoked_at,
  };
}
