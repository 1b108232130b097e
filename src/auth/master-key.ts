import { createCipheriv, createDecipheriv, randomUUID } from "node:crypto";
import { chmod, link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { ServerConfig } from "../platform/config/server.js";
import { ConfigError } from "../platform/config/variables.js";
import { isOpenToOthers, restrictCommand } from "../platform/key-file-mode.js";
import { printError } from "../platform/print.js";
import type { Random } from "../platform/random.js";

/** Encrypts the secrets that are stored in the database: private keys and the keys of hashes. */
export interface MasterKey {
  /** Returns ciphertext that can only be opened for the same purpose. */
  seal(purpose: string, plain: Uint8Array): Buffer;
  /** Throws a ConfigError if the bytes were sealed by another key, for another purpose or in another form. */
  open(purpose: string, sealed: Uint8Array): Uint8Array;
}

/** `dataDir` is needed only to recognise the relay's own file. */
type KeyFileConfig = Pick<ServerConfig, "masterKey" | "masterKeyFile"> & Partial<Pick<ServerConfig, "dataDir">>;

/** The first byte of what is sealed, by which a later version distinguishes the forms. */
const form = Buffer.from([1]);
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const algorithm = "chacha20-poly1305";

/**
 * The master key from MASTER_KEY, or else from MASTER_KEY_FILE, which is made at the first start and readable only by
 * its owner. Throws a ConfigError if the file cannot be read or made, holds no key, or is readable by others; only the
 * mode of a file that the relay made in its data folder is set again.
 */
export async function loadMasterKey(config: KeyFileConfig, random: Random): Promise<MasterKey> {
  return parseMasterKey(config.masterKey ?? (await readOrMakeFile(config, random)), { config, random });
}

/** The same, but returns undefined for a missing file instead of making one. */
export async function readMasterKey(config: KeyFileConfig, random: Random): Promise<MasterKey | undefined> {
  const hex = config.masterKey ?? (await readIfThere(config).catch(refuseFile(config.masterKeyFile)));
  return hex === undefined ? undefined : parseMasterKey(hex, { config, random });
}

function parseMasterKey(
  hex: string,
  given: { config: Pick<ServerConfig, "masterKeyFile">; random: Random },
): MasterKey {
  const { masterKeyFile } = given.config;
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) throw new ConfigError([`MASTER_KEY_FILE ${masterKeyFile} holds no key`]);
  return createMasterKey(Buffer.from(hex, "hex"), given.random);
}

/**
 * Seals with ChaCha20-Poly1305 (RFC 8439) under a random nonce; form and purpose are authenticated with the plaintext.
 *
 *   form (1 byte) | nonce (12) | ciphertext | tag (16)
 */
export function createMasterKey(key: Uint8Array, random: Random): MasterKey {
  if (key.length !== keyBytes) throw new RangeError("a master key has 32 bytes");
  return {
    seal(purpose, plain) {
      const nonce = random.bytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
      cipher.setAAD(context(purpose), { plaintextLength: plain.length });
      return Buffer.concat([form, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(purpose, sealed) {
      const bodyAt = form.length + nonceBytes;
      const nonce = sealed.subarray(form.length, bodyAt);
      const body = sealed.subarray(bodyAt, sealed.length - tagBytes);
      try {
        if (sealed[0] !== form[0]) throw new RangeError("sealed in an unknown form");
        const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
        decipher.setAAD(context(purpose), { plaintextLength: body.length });
        decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
        return new Uint8Array(Buffer.concat([decipher.update(body), decipher.final()]));
      } catch {
        throw new ConfigError(["MASTER_KEY (or MASTER_KEY_FILE) is not the key that this database was set up with"]);
      }
    },
  };
}

function context(purpose: string): Buffer {
  return Buffer.concat([form, Buffer.from(purpose)]);
}

async function readOrMakeFile(config: KeyFileConfig, random: Random): Promise<string> {
  const path = config.masterKeyFile;
  try {
    return (await readIfThere(config)) ?? (await makeFile(path, random));
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

/** A file that the relay made in its data folder gets back the mode that a volume or copy has widened. */
async function readIfThere({ masterKeyFile: path, dataDir }: KeyFileConfig): Promise<string | undefined> {
  try {
    const { mode } = await stat(path);
    const isOwn = dataDir !== undefined && resolve(path) === resolve(dataDir, "master.key");
    if (isOpenToOthers(mode) && !isOwn) refuseMode(path);
    if (isOpenToOthers(mode)) {
      await chmod(path, 0o600).catch(() => refuseMode(path));
      printError(`${path} was open to others on this machine: its mode is 0600 again`);
    }
    return (await readFile(path, "utf8")).trim();
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw problem;
  }
}

function refuseMode(path: string): never {
  throw new ConfigError([
    `MASTER_KEY_FILE ${path} is open to others on this machine: run \`${restrictCommand(path)}\`, or set MASTER_KEY`,
  ]);
}
