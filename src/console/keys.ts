import { type DeviceKeys, deviceKeysOf } from "../client/crypto/keys.js";
import { decodeBase64, decodeHex, encodeHex, utf8 } from "../protocol/encodings.js";
import { deviceIdOf } from "../protocol/identifiers.js";
import { publicKeyOf } from "../protocol/signature.js";

/** A key pair as the browser keeps it; if it is non-extractable, not even this page can read the private half. */
interface StoredKeys {
  privateKey: CryptoKey;
  publicKey: Uint8Array<ArrayBuffer>;
}

const algorithm = "Ed25519";
const seedBytes = 32;
/** The bytes before the 32-byte private key in PKCS #8 (RFC 8410). */
const pkcs8Head = "302e020100300506032b657004220420";

/** The 32-byte secret key in a PEM file (PKCS #8), as `mls-relay admin keygen` and OpenSSL write it, or in 64 hex digits. */
export function parseSecretKey(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  const hex = decodeHex(trimmed, seedBytes);
  if (hex !== undefined) return hex;
  const [, body = ""] = /-----BEGIN PRIVATE KEY-----([\s\S]+?)-----END PRIVATE KEY-----/.exec(trimmed) ?? [];
  const der = decodeBase64(body.replace(/\s+/g, ""));
  if (der === undefined || !encodeHex(der).startsWith(pkcs8Head)) return undefined;
  const seed = der.subarray(pkcs8Head.length / 2);
  return seed.length === seedBytes ? seed : undefined;
}

/** Signs with a non-extractable copy of a secret key, or, in a browser without Ed25519, with the bytes themselves. */
export async function importKeys(secretKey: Uint8Array): Promise<{ keys: DeviceKeys; stored?: StoredKeys }> {
  if (!(await isSupported())) return { keys: deviceKeysOf(secretKey) };
  const pkcs8 = decodeHex(pkcs8Head + encodeHex(secretKey)) as Uint8Array<ArrayBuffer>;
  const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]);
  const stored = { privateKey, publicKey: new Uint8Array(publicKeyOf(secretKey)) };
  return { keys: keysOf(stored), stored };
}

/** Makes and stores a key pair whose private half never leaves the browser. */
export async function makeKeys(): Promise<DeviceKeys> {
  const pair = (await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"])) as CryptoKeyPair;
  const publicKey = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const stored = { privateKey: pair.privateKey, publicKey };
  await storeKeys(stored);
  return keysOf(stored);
}

/**
 * Whether the browser can keep Ed25519 keys. It cannot on a page that was loaded over plain HTTP from another machine.
 */
export async function isSupported(): Promise<boolean> {
  if (globalThis.crypto?.subtle === undefined) return false;
  const made = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]).catch(() => undefined);
  return made !== undefined;
}

function keysOf({ privateKey, publicKey }: StoredKeys): DeviceKeys {
  return {
    deviceId: deviceIdOf(publicKey),
    publicKey,
    async sign(text) {
      const signature = await crypto.subtle.sign(algorithm, privateKey, new Uint8Array(utf8(text)));
      return encodeHex(new Uint8Array(signature));
    },
  };
}

const databaseName = "mls-relay-console";
const tableName = "keys";
const entryName = "admin";

export function storeKeys(keys: StoredKeys): Promise<unknown> {
  return inTable("readwrite", (table) => table.put(keys, entryName));
}

export async function loadKeys(): Promise<DeviceKeys | undefined> {
  const found = await inTable("readonly", (table) => table.get(entryName)).catch(() => undefined);
  return found === undefined ? undefined : keysOf(found as StoredKeys);
}

export function forgetKeys(): Promise<unknown> {
  return inTable("readwrite", (table) => table.delete(entryName));
}

async function inTable(mode: IDBTransactionMode, use: (table: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open(databaseName, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(tableName);
  const database = (await settled(opening)) as IDBDatabase;
  try {
    return await settled(use(database.transaction(tableName, mode).objectStore(tableName)));
  } finally {
    database.close();
  }
}

function settled(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
