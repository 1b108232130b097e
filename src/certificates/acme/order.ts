import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from "@peculiar/x509";
import type { createChallenges } from "./challenges.js";
import { type AcmeClient, type AcmeLimits, AcmeProblem, openAcmeClient, problemText } from "./client.js";
import { type AcmeFiles, importKey, readOrMakeKey } from "./files.js";

// Loaded when a certificate is ordered: the library and what it depends on take memory.

const polling = { firstMillis: 1_000, longestMillis: 10_000 };

interface OrderDeps {
  /** The URL of the ACME server's directory. */
  directory: string;
  host: string;
  files: AcmeFiles;
  challenges: Pick<ReturnType<typeof createChallenges>, "add" | "remove">;
  config: AcmeLimits;
  signal: AbortSignal;
}

/** Orders a certificate (RFC 8555, section 7.4) and returns it with its chain, as PEM. Rejects with an AcmeProblem. */
export async function orderCertificate(deps: OrderDeps): Promise<string> {
  const { acmeOrderSeconds: seconds } = deps.config;
  const timeout = AbortSignal.timeout(seconds * 1000);
  try {
    return await order({ ...deps, signal: AbortSignal.any([deps.signal, timeout]) });
  } catch (problem) {
    deps.signal.throwIfAborted();
    if (!timeout.aborted) throw problem;
    throw new AcmeProblem(`the order did not end within ${seconds} seconds`, { cause: problem });
  }
}

async function order(deps: OrderDeps): Promise<string> {
  const { host, files, signal } = deps;
  const key = await readOrMakeKey(files.accountKey);
  const client = await openAcmeClient({ directory: deps.directory, key, config: deps.config, signal });
  const opened = await client.newOrder({ identifiers: [{ type: "dns", value: host }] });
  for (const url of textsIn(opened.body["authorizations"])) await authorize(client, url, deps);
  const ready = await pollUntil(client, opened.location, { done: ["ready", "valid"], signal });
  const csr = await certificateRequest(files, host);
  if (ready["status"] === "ready") await client.post(String(ready["finalize"]), { csr });
  const issued = await pollUntil(client, opened.location, { done: ["valid"], signal });
  const { text } = await client.post(String(issued["certificate"]), null);
  if (!text.includes("-----BEGIN CERTIFICATE-----")) throw new AcmeProblem("the authority sent no certificate");
  return text;
}

/** Proves that the name leads here, unless the authority still knows it from an earlier order. */
async function authorize(client: AcmeClient, url: string, { challenges, signal }: OrderDeps): Promise<void> {
  const { body } = await client.post(url, null);
  if (body["status"] === "valid") return;
  const offered = (Array.isArray(body["challenges"]) ? body["challenges"] : []) as Record<string, unknown>[];
  const challenge = offered.find(({ type }) => type === "http-01");
  if (challenge === undefined) {
    throw new AcmeProblem("the authority offers no challenge of the type http-01", { cause: offered });
  }
  const token = String(challenge["token"]);
  await challenges.add(token, client.keyAuthorization(token));
  try {
    await client.post(String(challenge["url"]), {});
    await pollUntil(client, url, { done: ["valid"], signal });
  } finally {
    await challenges.remove(token);
  }
}

/** Asks for an order or an authorization until it has one of these states. Throws if it never will. */
async function pollUntil(
  client: AcmeClient,
  url: string,
  { done, signal }: { done: readonly string[]; signal: AbortSignal },
): Promise<Record<string, unknown>> {
  for (let pause = polling.firstMillis; ; pause = Math.min(2 * pause, polling.longestMillis)) {
    const { body, retryAfterSeconds } = await client.post(url, null);
    const status = String(body["status"]);
    if (done.includes(status)) return body;
    if (!["pending", "processing", "ready"].includes(status)) throw new AcmeProblem(reasonIn(body, status));
    await sleep(Math.max(pause, (retryAfterSeconds ?? 0) * 1000), undefined, { signal });
  }
}

/** Why an order or an authorization is invalid. */
function reasonIn(body: Record<string, unknown>, status: string): string {
  const challenges = Array.isArray(body["challenges"]) ? (body["challenges"] as Record<string, unknown>[]) : [];
  const failed = [body["error"], ...challenges.map(({ error }) => error)].find((error) => error !== undefined);
  return `the authority refuses: ${problemText(failed) || `the order is ${status}`}`;
}

async function certificateRequest(files: AcmeFiles, host: string): Promise<string> {
  const crypto = webcrypto as webcrypto.Crypto;
  const request = await Pkcs10CertificateRequestGenerator.create(
    {
      name: `CN=${host}`,
      keys: (await importKey(crypto, await readOrMakeKey(files.key))) as never,
      signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
      extensions: [new SubjectAlternativeNameExtension([{ type: "dns", value: host }])],
    },
    crypto as never,
  );
  return Buffer.from(request.rawData).toString("base64url");
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}
