import { createPrivateKey, generateKeyPairSync, type KeyObject, type webcrypto, X509Certificate } from "node:crypto";
import { link, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { acmeFolder } from "../../platform/config/server.js";

/** The folder that holds everything about the certificate. All files have mode 0600, the folder 0700. */
export interface AcmeFiles {
  certificate: string;
  /** The URL of the directory that issued the certificate. */
  authority: string;
  key: string;
  accountKey: string;
  /** A file per pending challenge, so that every process on this machine can answer it. */
  challenges: string;
  /** Until when the authority wants no order. */
  pause: string;
  /** Held by the process that orders a certificate, which touches it all the time. */
  lock: string;
}

const ownerOnly = 0o600;
const lockTouchedMillis = 5_000;
/** The lock of a process that was killed is ignored after this time. */
const lockIgnoredMillis = 30_000;

export function acmeFiles(dataDir: string): AcmeFiles {
  const folder = acmeFolder(dataDir);
  const names = { certificate: "certificate.pem", key: "key.pem", accountKey: "account.key" };
  return {
    certificate: path.join(folder, names.certificate),
    authority: path.join(folder, "authority"),
    key: path.join(folder, names.key),
    accountKey: path.join(folder, names.accountKey),
    challenges: path.join(folder, "challenges"),
    pause: path.join(folder, "pause.json"),
    lock: path.join(folder, "order.lock"),
  };
}

export async function makeFolders(files: AcmeFiles): Promise<void> {
  await mkdir(files.challenges, { recursive: true, mode: 0o700 });
}

/**
 * Reads a P-256 key, or makes one. A renewal keeps the certificate's key, so only one file ever changes. A file that has no such key, for
 * example because the disk was full, is set aside.
 */
export async function readOrMakeKey(file: string): Promise<KeyObject> {
  const found = await readFile(file).catch(ignoreMissing);
  const key = found && readKey(found);
  if (key !== undefined) return key;
  if (found !== undefined) await rename(file, `${file}.unusable`);
  // It is exported by the generation: see generateRawKeyPair.
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const draft = draftOf(file);
  await writeFile(draft, privateKey, { mode: ownerOnly });
  try {
    // Another process of this machine may be faster, and its key is used then.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      // Some file systems have no hard links.
      if (error.code !== "EEXIST") return rename(draft, file);
    });
  } finally {
    await rm(draft, { force: true });
  }
  return readKey(await readFile(file)) ?? createPrivateKey(privateKey);
}

/** Undefined unless the text is a P-256 key. */
function readKey(pem: Buffer): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The present certificate; undefined if there is none for this host and key. */
export async function readCertificate(files: AcmeFiles, host: string): Promise<X509Certificate | undefined> {
  const pem = await readFile(files.certificate).catch(ignoreMissing);
  if (pem === undefined) return undefined;
  try {
    const certificate = new X509Certificate(pem);
    const isPair = certificate.checkPrivateKey(createPrivateKey(await readFile(files.key)));
    return isPair && certificate.checkHost(host) !== undefined ? certificate : undefined;
  } catch {
    return undefined;
  }
}

/** The URL of the directory that issued the present certificate; undefined if it is not known. */
export async function readAuthority(files: AcmeFiles): Promise<string | undefined> {
  return (await readFile(files.authority, "utf8").catch(ignoreMissing))?.trim();
}

/** Replaces the certificate in one step: a reader finds the old one or the new one. */
export async function writeCertificate(files: AcmeFiles, pem: string, authority = ""): Promise<void> {
  // If the process ends in between, the certificate is ordered once more.
  await rm(files.authority, { force: true });
  await replace(files.certificate, pem);
  await replace(files.authority, `${authority}\n`);
}

/** A pause that an authority asked for. Times are Unix seconds. */
interface AskedPause {
  authority: string;
  host: string;
  /** When the first of the orders failed. */
  since: number;
  retryAt: number;
  waitSeconds: number;
}

/** Kept in a file, because a restart, or another process of this machine, would break it otherwise. */
export function writePause(files: AcmeFiles, pause: AskedPause): Promise<void> {
  return replace(files.pause, `${JSON.stringify(pause)}\n`);
}

/** Undefined if none is known, or the file is damaged. */
export async function readPause(files: AcmeFiles): Promise<AskedPause | undefined> {
  const text = await readFile(files.pause, "utf8").catch(ignoreMissing);
  try {
    const found = JSON.parse(text ?? "") as AskedPause;
    return [found.since, found.retryAt, found.waitSeconds].every(Number.isSafeInteger) ? found : undefined;
  } catch {
    return undefined;
  }
}

export async function endPause(files: AcmeFiles): Promise<void> {
  await rm(files.pause, { force: true });
}

async function replace(file: string, text: string): Promise<void> {
  await writeFile(draftOf(file), text, { mode: ownerOnly });
  await rename(draftOf(file), file);
}

function draftOf(file: string): string {
  return `${file}.${process.pid}`;
}

/** Runs an order unless another process of this machine is running one; says whether it did. */
export async function withOrderLock(files: AcmeFiles, order: () => Promise<void>): Promise<boolean> {
  const held = await stat(files.lock).catch(ignoreMissing);
  // The file may be dated in the future, by a clock that was ahead.
  if (held !== undefined && Math.abs(Date.now() - held.mtimeMs) > lockIgnoredMillis) {
    await rm(files.lock, { force: true });
  }
  try {
    await writeFile(files.lock, String(process.pid), { mode: ownerOnly, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  const touching = setInterval(() => {
    utimes(files.lock, new Date(), new Date()).catch(() => undefined);
  }, lockTouchedMillis);
  try {
    // Removes the files of an order whose process was killed.
    for (const name of await readdir(files.challenges)) await rm(path.join(files.challenges, name), { force: true });
    await order();
    return true;
  } finally {
    clearInterval(touching);
    await rm(files.lock, { force: true });
  }
}

/** Converts the certificate's key for the library that writes certificates. */
export async function importKey(crypto: webcrypto.Crypto, key: KeyObject) {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { d: _, ...publicPart } = key.export({ format: "jwk" });
  return {
    privateKey: await crypto.subtle.importKey("pkcs8", key.export({ type: "pkcs8", format: "der" }), algorithm, false, [
      "sign",
    ]),
    publicKey: await crypto.subtle.importKey("jwk", publicPart, algorithm, true, ["verify"]),
  };
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
