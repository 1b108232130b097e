import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Database, Db, Transaction } from "../database/db.js";
import type { ServerConfig } from "../platform/config/server.js";
import { ConfigError } from "../platform/config/variables.js";
import type { Random } from "../platform/random.js";
import { createMasterKey, loadMasterKey, type MasterKey } from "./master-key.js";
import { hasSealedRows, readSealedRows, type SealedRow, updateSealedRow, withSealedRowsLocked } from "./sealed-rows.js";

type KeyConfig = Pick<ServerConfig, "masterKey" | "masterKeyFile" | "masterKeyNext"> &
  Partial<Pick<ServerConfig, "dataDir">>;

const keyBytes = 32;
const keyForm = /^[0-9a-fA-F]{64}$/;

/*
 * A rotation: the next key is written beside the file of the present one (or is given as MASTER_KEY_NEXT); one transaction
 * encrypts every secret again; the next file takes the place of the present one. A crash leaves one of these:
 *
 *   before the transaction    secrets under the present key; the next one is known as well
 *   after it                  secrets under the next key; the present one is known as well
 *
 * In both, a process with both keys can read everything, and a repeated rotation completes: it opens each
 * secret with the key that fits. A relay, too, opens with both keys as long as both exist.
 */

/**
 * The master key of a database, checked against the stored secrets before anything is written. If there are secrets
 * already, no key is made. Throws a ConfigError that says what to do.
 */
export async function openMasterKey(deps: { db: Database; config: KeyConfig; random: Random }): Promise<MasterKey> {
  const { db, config, random } = deps;
  const sealed = (await hasSealedRows(db)) ? await readSealedRows(db) : [];
  if (sealed.length > 0) await refuseToMakeKey(config);
  const present = await loadMasterKey(config, random);
  const next = await readNextKey(config, random);
  const masterKey = next === undefined ? present : opensWithEither(present, next);
  for (const row of sealed) openOrExplain(masterKey, row);
  return masterKey;
}

/** Checks again once this node is listed as alive: the key is not rotated while a node runs, but it may have been just before. */
export async function checkMasterKey(db: Db, masterKey: MasterKey): Promise<void> {
  for (const row of await readSealedRows(db)) openOrExplain(masterKey, row);
}

/** Encrypts every secret under the next key, which then replaces the present one. Returns the number of secrets. */
export async function rotateMasterKey(deps: {
  db: Database;
  config: KeyConfig;
  random: Random;
  /** Called in the transaction, to record the rotation. */
  note: (trx: Transaction, secrets: number) => Promise<void>;
}): Promise<number> {
  const { db, config, random } = deps;
  const present = await loadMasterKey(config, random);
  if (config.masterKey === null) await makeNextFile(config, random);
  const next = await readNextKey(config, random);
  if (next === undefined) throw new ConfigError(["MASTER_KEY_NEXT must hold the key that replaces MASTER_KEY"]);
  const both = opensWithEither(present, next);
  const count = await withSealedRowsLocked(db, async (trx) => {
    const sealed = await readSealedRows(trx);
    for (const row of sealed) {
      const plain = openOrExplain(both, row);
      await updateSealedRow(trx, { ...row, sealed: next.seal(row.purpose, plain) });
    }
    await deps.note(trx, sealed.length);
    return sealed.length;
  });
  if (config.masterKey === null) await replaceDurably(nextFile(config), config.masterKeyFile);
  return count;
}

function opensWithEither(present: MasterKey, next: MasterKey): MasterKey {
  return {
    seal: present.seal,
    open(purpose, sealed) {
      try {
        return present.open(purpose, sealed);
      } catch {
        return next.open(purpose, sealed);
      }
    },
  };
}

function openOrExplain(masterKey: MasterKey, { purpose, sealed }: SealedRow): Uint8Array {
  try {
    return masterKey.open(purpose, sealed);
  } catch {
    throw new ConfigError([
      "MASTER_KEY (or MASTER_KEY_FILE) is not the key that this database was set up with. Nothing was written. Restore " +
        "the key that was in use; during a rotation, set the other key as MASTER_KEY_NEXT",
    ]);
  }
}

/** A new key could not open the secrets that are stored already. */
async function refuseToMakeKey({ masterKey, masterKeyFile }: KeyConfig): Promise<void> {
  if (masterKey !== null || (await readIfThere(masterKeyFile)) !== undefined) return;
  throw new ConfigError([
    `MASTER_KEY_FILE ${masterKeyFile} does not exist, but this database was set up with a master key. Nothing was written. ` +
      "Restore that file, or set the key as MASTER_KEY",
  ]);
}

async function readNextKey(config: KeyConfig, random: Random): Promise<MasterKey | undefined> {
  const given = config.masterKey === null ? undefined : config.masterKeyNext;
  const hex = given ?? (config.masterKey === null ? await readIfThere(nextFile(config)) : undefined);
  if (hex === undefined || hex === null) return undefined;
  if (!keyForm.test(hex)) throw new ConfigError([`${nextFile(config)} holds no key`]);
  return createMasterKey(Buffer.from(hex, "hex"), random);
}

function nextFile({ masterKeyFile }: Pick<KeyConfig, "masterKeyFile">): string {
  return `${masterKeyFile}.next`;
}

/** A file left by an interrupted rotation is used again: secrets may be encrypted under its key already. */
async function makeNextFile(config: KeyConfig, random: Random): Promise<void> {
  const path = nextFile(config);
  if ((await readIfThere(path)) !== undefined) return;
  const draft = `${path}.${randomUUID()}`;
  const hex = config.masterKeyNext ?? Buffer.from(random.bytes(keyBytes)).toString("hex");
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(`${hex}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await replaceDurably(draft, path);
  } catch (problem) {
    await rm(draft, { force: true });
    throw problem;
  }
}

/** Replaces a file so that the replacement survives a crash of the machine right after. */
async function replaceDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  const folder = await open(dirname(to), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (problem) {
    const { code } = problem as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new ConfigError([`MASTER_KEY_FILE ${path} cannot be read (${code ?? String(problem)})`]);
  }
}
