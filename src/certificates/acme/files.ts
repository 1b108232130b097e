import { createPrivateKey, generateKeyPairSync, type webcrypto, X509Certificate } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { acmeFolder } from "../../platform/config/server.js";

/** The folder that holds everything about the certificate. All files have mode 0600, the folder 0700. */
export interface AcmeFiles {
  certificate: string;
  key: string;
  accountKey: string;
  /** A file per pending challenge, so that every process on this machine can answer it. */
  challenges: string;
  /** Held by the process that orders a certificate. */
  lock: string;
}

const ownerOnly = 0o600;
/** An order takes a minute or two. */
const longestOrderMillis = 10 * 60_000;

export function acmeFiles(dataDir: string): AcmeFiles {
  const folder = acmeFolder(dataDir);
  const names = { certificate: "certificate.pem", key: "key.pem", accountKey: "account.key" };
  return {
    certificate: path.join(folder, names.certificate),
    key: path.join(folder, names.key),
    accountKey: path.join(folder, names.accountKey),
    challenges: path.join(folder, "challenges"),
    lock: path.join(folder, "order.lock"),
  };
}

export async function makeFolders(files: AcmeFiles): Promise<void> {
  await mkdir(files.challenges, { recursive: true, mode: 0o700 });
}

/** Reads a P-256 key, or makes one. A renewal keeps the certificate's key, so only one file ever changes. */
export async function readOrMakeKey(file: string): Promise<string> {
  const found = await readFile(file, "utf8").catch(ignoreMissing);
  if (found !== undefined) return found;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  try {
    await writeFile(file, pem, { mode: ownerOnly, flag: "wx" });
    return pem;
  } catch (error) {
    // Another process of this machine was faster.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return readFile(file, "utf8");
    throw error;
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

/** Replaces the certificate in one step: a reader finds the old one or the new one. */
export async function writeCertificate(files: AcmeFiles, pem: string): Promise<void> {
  const draft = `${files.certificate}.${process.pid}`;
  await writeFile(draft, pem, { mode: ownerOnly });
  await rename(draft, files.certificate);
}

/** Runs an order unless another process of this machine is running one; says whether it did. */
export async function withOrderLock(files: AcmeFiles, order: () => Promise<void>): Promise<boolean> {
  const held = await stat(files.lock).catch(ignoreMissing);
  if (held !== undefined && Date.now() - held.mtimeMs > longestOrderMillis) await rm(files.lock, { force: true });
  try {
    await writeFile(files.lock, String(process.pid), { mode: ownerOnly, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    await order();
    return true;
  } finally {
    await rm(files.lock, { force: true });
  }
}

/** Converts the certificate's key for the library that writes certificates. */
export async function importKey(crypto: webcrypto.Crypto, pem: string) {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const key = createPrivateKey(pem);
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
