import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { CompactSign } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call } from "../support/api.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import type { Issued } from "./certificate-writer.js";
import { chainCases } from "./chain-cases.js";
import { type ChainCase, host } from "./chain-drafts.js";
import { challengeFor } from "./origin-fixture.js";

const run = promisify(execFile);
const cases = chainCases();

let folder: string;
let relay: TestRelay;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "mls-relay-chains-"));
  const anchors = new Set(cases.flatMap((one) => one.anchors));
  const federationCaFile = await put(
    "CERTIFICATE",
    [...anchors].map(({ raw }) => raw),
  );
  const federationCrlFile = await put(
    "X509 CRL",
    cases.flatMap(({ lists }) => lists),
  );
  relay = await startRelay({ federationCaFile, federationCrlFile });
});
afterAll(async () => {
  await relay.stop();
  await rm(folder, { recursive: true });
});

async function put(label: string, parts: readonly Buffer[]): Promise<string> {
  const file = path.join(folder, randomUUID());
  const pem = (part: Buffer) => part.toString("base64").replaceAll(/.{64}/g, "$&\n").trim();
  const texts = parts.map((part) => `-----BEGIN ${label}-----\n${pem(part)}\n-----END ${label}-----\n`);
  await writeFile(file, texts.join(""));
  return file;
}

const raws = (issued: readonly Issued[]): Buffer[] => issued.map(({ raw }) => raw);

/**
 * OpenSSL's answer: anchors are what the operator gives, whether or not they signed themselves, and 112 bits of security
 * are asked for.
 */
async function opensslSays({ chain: [leaf, ...others], anchors, lists }: ChainCase): Promise<string> {
  const files = [leaf, ...others].map(() => undefined);
  const options = ["-partial_chain", "-auth_level", "2", "-purpose", "sslserver", "-verify_hostname", host];
  const trusted = ["-no-CApath", "-no-CAstore", "-CAfile", await put("CERTIFICATE", raws(anchors))];
  const sent = files.length > 1 ? ["-untrusted", await put("CERTIFICATE", raws(others))] : [];
  const revoked = lists.length > 0 ? ["-crl_check_all", "-CRLfile", await put("X509 CRL", lists)] : [];
  const file = await put("CERTIFICATE", raws(leaf === undefined ? [] : [leaf]));
  try {
    await run("openssl", ["verify", ...trusted, ...sent, ...revoked, ...options, file]);
    return "accepted";
  } catch (error) {
    const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
    if (typeof code !== "number" || stderr.includes("Usage")) throw error;
    return `refused: ${/error \d+ at .*/.exec(stderr)?.[0] ?? stderr.trim()}`;
  }
}

const algorithms: Readonly<Record<string, string>> = { rsa: "PS256", ed25519: "EdDSA" };

/** The relay's answer to a server that shows the chain and has the key of its certificate. */
async function relaySays({ chain }: ChainCase): Promise<string> {
  const nonce = await challengeFor(relay, host);
  const key = chain[0]?.key.privateKey;
  const payload = Buffer.from(JSON.stringify({ nonce, origin_server: host, aud: relay.config.domain }));
  const header = { alg: algorithms[key?.asymmetricKeyType ?? ""] ?? "ES256", typ: "svc-federation-answer+jwt" };
  const signed = key === undefined ? undefined : new CompactSign(payload).setProtectedHeader(header).sign(key);
  // Keys that no algorithm fits are refused before anybody looks at the signature.
  const answer = await signed?.catch(() => `e30.${payload.toString("base64url")}.AAAA`);
  const body = {
    origin_server: host,
    server_certificate: Buffer.concat(raws(chain)).toString("base64"),
    challenge_response: answer,
  };
  const { status, body: said } = await call(relay, "authenticateServer", { body });
  return status === 200 ? "accepted" : `refused: ${status} ${said.message}`;
}

it("holds at least sixty chains, each with a title of its own", () => {
  expect(cases.length).toBeGreaterThanOrEqual(60);
  expect(new Set(cases.map(({ title }) => title)).size).toBe(cases.length);
});

it.each(cases)("$title: the relay decides as OpenSSL does, or is stricter for a reason", async (one) => {
  const [relayAnswer, opensslAnswer] = [await relaySays(one), await opensslSays(one)];
  if (one.refused === undefined) expect(relayAnswer).toBe("accepted");
  else expect(relayAnswer).toMatch(new RegExp(`^refused: 403 .*${one.refused}`));
  const isOpensslStrict = one.refused !== undefined && one.stricter === undefined;
  if (differing.has(one.title)) return;
  expect(opensslAnswer).toMatch(isOpensslStrict ? /^refused/ : /^accepted$/);
});

/** What OpenSSL refuses in later releases of one version only. */
const differing: ReadonlySet<string> = new Set(["a list of changes"]);

it("an intermediate that leads nowhere hides none that leads to an anchor, where OpenSSL stops at the first", async () => {
  const twins = cases.find(({ title }) => title.startsWith("twins"));
  if (twins === undefined) throw new Error("there is no such case");
  const [leaf, trusted, untrusted] = twins.chain as [Issued, Issued, Issued];
  const misordered = { ...twins, chain: [leaf, untrusted, trusted] };
  expect(await opensslSays(misordered)).toMatch(/^refused/);
  expect(await relaySays(misordered)).toBe("accepted");
  expect(await opensslSays({ ...twins, chain: [leaf, trusted] })).toBe("accepted");
});
