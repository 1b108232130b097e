import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { generateRawKeyPair, privateKeyFromRaw } from "../platform/auth/ed25519-keys.js";
import { isOpenToOthers, restrictCommand } from "../platform/auth/key-file-mode.js";

/** An administrator's key. */
export interface AdminKey {
  publicKey: Uint8Array;
  /** The signature of a text (as UTF-8) in hex. */
  sign(text: string): string;
}

const ownerOnly = 0o600;
const ownersFolder = 0o700;

/** Makes a key and writes it as PEM (PKCS #8) into a new file that only its owner can read. Throws if the file is there. */
export async function makeKeyFile(path: string): Promise<AdminKey> {
  const key = privateKeyFromRaw(generateRawKeyPair().privateKey);
  await mkdir(dirname(path), { recursive: true, mode: ownersFolder });
  await writeFile(path, key.export({ format: "pem", type: "pkcs8" }), { mode: ownerOnly, flag: "wx" });
  return adminKey(key);
}

/** Reads a key made by `makeKeyFile`, or by `openssl genpkey -algorithm ed25519`. Throws where others can read it too. */
export async function readKeyFile(path: string): Promise<AdminKey> {
  if (isOpenToOthers((await stat(path)).mode)) {
    throw new Error(`${path} is open to others on this machine: run \`${restrictCommand(path)}\``);
  }
  const pem = await readFile(path, "utf8");
  const key = parse(pem);
  if (key?.asymmetricKeyType !== "ed25519") throw new Error(`${path} holds no Ed25519 private key in PEM`);
  return adminKey(key);
}

function parse(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

function adminKey(key: KeyObject): AdminKey {
  const { x } = createPublicKey(key).export({ format: "jwk" });
  return {
    publicKey: Buffer.from(x ?? "", "base64url"),
    sign: (text) => sign(null, Buffer.from(text, "utf8"), key).toString("hex"),
  };
}
