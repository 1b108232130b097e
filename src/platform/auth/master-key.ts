import { createCipheriv, createDecipheriv, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Config, ConfigError } from "../config/config.js";
import type { Random } from "../random.js";
import { isOpenToOthers, restrictCommand } from "./key-file-mode.js";

/** Encrypts the secrets that are stored in the database: private keys and the keys of hashes. */
export interface MasterKey {
  /** Returns ciphertext that can only be opened for the same purpose. */
  seal(purpose: string, plain: Uint8Array): Buffer;
  /** Throws a ConfigError when the bytes were sealed by another key or for another purpose. */
  open(purpose: string, sealed: Uint8Array): Uint8Array;
}

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const algorithm = "chacha20-poly1305";

/**
 * The master key from MASTER_KEY, or else from MASTER_KEY_FILE, which is made at the first start and readable by its
 * owner alone. Throws a ConfigError when the file cannot be read or made, holds no key, or others can read it too.
 */
export async function loadMasterKey(
  config: Pick<Config, "masterKey" | "masterKeyFile">,
  random: Random,
): Promise<MasterKey> {
  return parseMasterKey(config.masterKey ?? (await readOrMakeFile(config.masterKeyFile, random)), { config, random });
}

/** The same, but returns undefined for a missing file instead of making it. */
export async function readMasterKey(
  config: Pick<Config, "masterKey" | "masterKeyFile">,
  random: Random,
): Promise<MasterKey | undefined> {
  const hex = config.masterKey ?? (await readIfThere(config.masterKeyFile).catch(refuseFile(config.masterKeyFile)));
  return hex === undefined ? undefined : parseMasterKey(hex, { config, random });
}

function parseMasterKey(hex: string, given: { config: Pick<Config, "masterKeyFile">; random: Random }): MasterKey {
  const { masterKeyFile } = given.config;
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) throw new ConfigError([`MASTER_KEY_FILE ${masterKeyFile} holds no key`]);
  return createMasterKey(Buffer.from(hex, "hex"), given.random);
}

/** Seals with ChaCha20-Poly1305 (RFC 8439) under a random nonce; the purpose is authenticated with the plaintext. */
export function createMasterKey(key: Uint8Array, random: Random): MasterKey {
  if (key.length !== keyBytes) throw new RangeError("a master key has 32 bytes");
  return {
    seal(purpose, plain) {
      const nonce = random.bytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(purpose), { plaintextLength: plain.length });
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([nonce, body, cipher.getAuthTag()]);
    },
    open(purpose, sealed) {
      const nonce = sealed.subarray(0, nonceBytes);
      const body = sealed.subarray(nonceBytes, sealed.length - tagBytes);
      try {
        const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
        decipher.setAAD(Buffer.from(purpose), { plaintextLength: body.length });
        decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
        return new Uint8Array(Buffer.concat([decipher.update(body), decipher.final()]));
      } catch {
        throw new ConfigError(["MASTER_KEY (or MASTER_KEY_FILE) is not the key that this database was set up with"]);
      }
    },
  };
}

async function readOrMakeFile(path: string, random: Random): Promise<string> {
  try {
    return (await readIfThere(path)) ?? (await makeFile(path, random));
  } catch (problem) {
    return refuseFile(path)(problem);
  }
}

function refuseFile(path: string): (problem: unknown) => never {
  return (problem) => {
    if (problem instanceof ConfigError) throw problem;
    const reason = (problem as NodeJS.ErrnoException).code ?? String(problem);
    throw new ConfigError([`MASTER_KEY_FILE ${path} can be neither read nor made (${reason})`]);
  };
}

/** The file appears complete or not at all, and never replaces one that another process made meanwhile. */
async function makeFile(path: string, random: Random): Promise<string> {
  const draft = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, `${Buffer.from(random.bytes(keyBytes)).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  try {
    await link(draft, path);
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== "EEXIST") throw problem;
  } finally {
    await rm(draft, { force: true });
  }
  return (await readFile(path, "utf8")).trim();
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(path);
    if (isOpenToOthers(mode)) throw readableByOthers(path);
    return (await readFile(path, "utf8")).trim();
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw problem;
  }
}

function readableByOthers(path: string): ConfigError {
  return new ConfigError([
    `MASTER_KEY_FILE ${path} is open to others on this machine: run \`${restrictCommand(path)}\`, or set MASTER_KEY`,
  ]);
}
