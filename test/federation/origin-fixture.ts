import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { CompactSign, importPKCS8 } from "jose";
import { createTestAuthority, type TestAuthority, type TestCredential } from "../../scripts/test-ca/authority.js";
import type { Config } from "../../src/composition/config.js";
import { type Answer, call } from "../support/api.js";
import { demand, message, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";

/** Other servers as a relay meets them that is called: certificates of an authority it trusts, or not. */
export interface OriginFixture {
  authority: TestAuthority;
  /** What makes a relay trust the authority and look at its revocation list. */
  config: Partial<Config>;
  revoke(serials: readonly string[], times?: { thisUpdate?: Date; nextUpdate?: Date }): Promise<void>;
  /** A server by this name with a certificate of the authority. */
  origin(domain: string): Promise<Origin>;
  stop(): Promise<void>;
}

/** A server that calls. */
export interface Origin {
  domain: string;
  credential: TestCredential;
}

export async function createOriginFixture(): Promise<OriginFixture> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-origins-"));
  const authority = await createTestAuthority(new Date());
  const [ca, crl] = [path.join(folder, "ca.pem"), path.join(folder, "crl.pem")];
  const revoke: OriginFixture["revoke"] = async (serials, times) =>
    writeFile(crl, await authority.revocationList(serials, times));
  await writeFile(ca, authority.cert);
  await revoke([]);
  return {
    authority,
    config: { federationCaFile: ca, federationCrlFile: crl },
    revoke,
    origin: async (domain) => ({ domain, credential: await authority.issue({ hosts: [domain.split(":")[0] ?? ""] }) }),
    stop: () => rm(folder, { recursive: true }),
  };
}

/** How an authentication differs from a right one. */
interface Deviation {
  /** Members of the request. */
  body?: Readonly<Record<string, unknown>>;
  /** Members of the answer's payload and header. */
  payload?: Readonly<Record<string, unknown>>;
  header?: { alg?: string; typ?: string; crit?: string[] };
  nonce?: string;
  /** A key that is not the certificate's. */
  key?: string;
}

/** The algorithm that each kind of test key signs with. */
export const algorithms = { ed25519: "EdDSA", p256: "ES256", p384: "ES384", p521: "ES512", rsa2048: "PS256" } as const;

/** The body of an authentication at this relay, with a fresh nonce. */
export async function proofOf(
  relay: TestRelay,
  { domain, credential }: Origin,
  deviation: Deviation = {},
): Promise<Record<string, unknown>> {
  const nonce = deviation.nonce ?? (await challengeFor(relay, domain));
  const payload = { nonce, origin_server: domain, aud: relay.config.domain, ...deviation.payload };
  const header = { alg: "ES256", typ: "svc-federation-answer+jwt", ...deviation.header };
  const key = await importPKCS8(deviation.key ?? credential.key, header.alg);
  const answer = await new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader(header).sign(key);
  return {
    origin_server: domain,
    server_certificate: derOf(credential.cert),
    challenge_response: answer,
    ...deviation.body,
  };
}

export async function challengeFor(relay: TestRelay, domain: string): Promise<string> {
  return demand(await call(relay, "createFederationChallenge", { body: { origin_server: domain } })).body.nonce;
}

export async function authenticate(relay: TestRelay, origin: Origin, deviation?: Deviation) {
  return call(relay, "authenticateServer", { body: await proofOf(relay, origin, deviation) });
}

/** A token for a server that is what it says. */
export async function tokenFor(relay: TestRelay, origin: Origin): Promise<string> {
  return demand(await authenticate(relay, origin)).body.federation_token;
}

/** The certificates of a PEM text as the protocol sends them. */
export function derOf(pem: string): string {
  const parts = pem.match(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g) ?? [];
  const bytes = parts.map((part) => Buffer.from(part.replaceAll(/-----[A-Z ]+-----|\s/g, ""), "base64"));
  return Buffer.concat(bytes).toString("base64");
}

interface DeliveryDraft {
  token: string;
  origin: string;
  messages: readonly unknown[];
  transactionId?: string;
  header?: string;
  pathId?: string;
  body?: Readonly<Record<string, unknown>>;
}

/** Delivers messages. */
export async function deliver(
  relay: TestRelay,
  { token, origin, messages, transactionId = randomUUID(), ...different }: DeliveryDraft,
) {
  return call(relay, "deliverTransaction", {
    token,
    params: { transaction_id: different.pathId ?? transactionId },
    headers: { "x-origin-server": different.header ?? origin },
    body: {
      origin_server: origin,
      transaction_id: transactionId,
      timestamp: relay.clock.nowSeconds(),
      messages,
      ...different.body,
    },
  });
}

/** Messages of another server for a device. */
export function messagesFor(relay: TestRelay, device: Pick<TestDevice, "address">, count: number) {
  return Array.from({ length: count }, () => message(relay, device.address));
}

/** What an answer says in one line: the status, and the error where it is one. */
export function outcomeOf({ status, body }: Answer<object>): string {
  return body.error === undefined ? String(status) : `${status} ${body.error}`;
}
