import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { isOpenToOthers, restrictCommand } from "../platform/key-file-mode.js";
import { generateRawKeyPair, privateKeyFromRaw } from "./ed25519-keys.js";

/** An administrator's key. */
export type AdminKey = ReturnType<typeof adminKey>;

const ownerOnly = 0o600;
const ownersFolder = 0o700;

/**
 * The default key file, in the account's configuration folder, so that no key ends up in the current folder; undefined for
 * an account without a home folder.
 */
export function defaultKeyFile(env: NodeJS.ProcessEnv): string | undefined {
  const configured = env["XDG_CONFIG_HOME"] ?? "";
  const home = env["HOME"] || homeOfAccount();
  if (!path.isAbsolute(configured) && home === undefined) return undefined;
  const folder = path.isAbsolute(configured) ? configured : path.join(home ?? "", ".config");
  return path.join(folder, "mls-relay", "admin-key.pem");
}

/** Fails for an account that has no entry in /etc/passwd, as in containers and units with DynamicUser. */
function homeOfAccount(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

export class MissingKeyFile extends Error {
  constructor(file: string) {
    super(`there is no key file ${file}: make one with \`mls-relay admin keygen\`, or name yours with --key`);
    this.name = "MissingKeyFile";
  }
}

/** Makes a key and writes it as PEM (PKCS #8) to a new file that only its owner can read. Throws if the file exists. */
export async function makeKeyFile(file: string): Promise<AdminKey> {
  const key = privateKeyFromRaw(generateRawKeyPair().privateKey);
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true, mode: ownersFolder }).catch((cause: unknown) => {
    throw new Error(`${folder} cannot be made for the key; \`--out FILE\` names another place`, { cause });
  });
  await writeFile(file, key.export({ format: "pem", type: "pkcs8" }), { mode: ownerOnly, flag: "wx" });
  return adminKey(key);
}

/** Reads a key made by `makeKeyFile` or `openssl genpkey -algorithm ed25519`. Throws if other accounts can read it. */
export async function readKeyFile(file: string): Promise<AdminKey> {
  const { mode } = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
    throw new MissingKeyFile(file);
  });
  if (isOpenToOthers(mode)) {
    throw new Error(`${file} is open to others on this machine: run \`${restrictCommand(file)}\``);
  }
  const pem = await readFile(file, "utf8");
  const key = parse(pem);
  if (key?.asymmetricKeyType !== "ed25519") throw new Error(`${file} is not an Ed25519 private key in PEM`);
  return adminKey(key);
}

function parse(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

function adminKey(key: KeyObject) {
  const { x } = createPublicKey(key).export({ format: "jwk" });
  return {
    publicKey: Buffer.from(x ?? "", "base64url"),
    /** The signature of a text (as UTF-8) in hex. */
    sign: (text: string): string => sign(null, Buffer.from(text, "utf8"), key).toString("hex"),
  };
}
