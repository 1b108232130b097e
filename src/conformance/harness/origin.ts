import { CompactSign, importPKCS8 } from "jose";
import { routes } from "../../../generated/routes.js";
import { NotChecked, success } from "./assertions.js";
import type { Harness, OriginCredential } from "./types.js";

/** The credentials of another server. Throws NotChecked if there are none. */
export function originOf({ target: { origin } }: Harness): OriginCredential {
  if (origin === undefined) throw new NotChecked("no certificate of another server was given");
  return origin;
}

/** The body of an authentication, with a new nonce unless one is given. */
export async function proofOf(harness: Harness, given: { nonce?: string; audience?: string } = {}) {
  const { domain, cert, key } = originOf(harness);
  const body = { origin_server: domain };
  const nonce = given.nonce ?? success(await harness.call("createFederationChallenge", { body }), 200).nonce;
  const payload = { nonce, origin_server: domain, aud: given.audience ?? harness.domain };
  const answer = await new CompactSign(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg: "ES256", typ: "svc-federation-answer+jwt" })
    .sign(await importPKCS8(key, "ES256"));
  return { origin_server: domain, server_certificate: derOf(cert), challenge_response: answer };
}

const sessions = new WeakMap<Harness, Promise<string>>();

/** A federation token of the suite's server, the same for all rules. */
export function federationToken(harness: Harness): Promise<string> {
  const known = sessions.get(harness);
  if (known !== undefined) return known;
  const made = proofOf(harness)
    .then((body) => harness.call("authenticateServer", { body }))
    .then((answer) => success(answer, 200).federation_token);
  sessions.set(harness, made);
  return made;
}

/** Delivers messages with their ciphertexts as bytes after the JSON. */
export async function deliverAttached(harness: Harness, messages: readonly unknown[], attached: Uint8Array) {
  const { domain } = originOf(harness);
  const transactionId = harness.random.uuid();
  const head = { origin_server: domain, transaction_id: transactionId, timestamp: await harness.now() };
  const json = new TextEncoder().encode(JSON.stringify({ ...head, messages }));
  const raw = new Uint8Array(4 + json.length + attached.length);
  new DataView(raw.buffer).setUint32(0, json.length);
  raw.set(json, 4);
  raw.set(attached, 4 + json.length);
  return harness.call("deliverTransaction", {
    token: await federationToken(harness),
    params: { transaction_id: transactionId },
    headers: { "x-origin-server": domain, "content-type": routes.deliverTransaction.attachedBytes },
    raw,
  });
}

/** Delivers messages. Members of `different` replace the valid ones. */
export async function deliver(
  harness: Harness,
  messages: readonly unknown[],
  different: {
    transactionId?: string;
    pathId?: string;
    header?: string;
    body?: object;
    token?: string | undefined;
  } = {},
) {
  const { domain } = originOf(harness);
  const transactionId = different.transactionId ?? harness.random.uuid();
  return harness.call("deliverTransaction", {
    token: "token" in different ? different.token : await federationToken(harness),
    params: { transaction_id: different.pathId ?? transactionId },
    headers: { "x-origin-server": different.header ?? domain },
    body: {
      origin_server: domain,
      transaction_id: transactionId,
      timestamp: await harness.now(),
      messages,
      ...different.body,
    },
  });
}

/** The certificates of a PEM text, concatenated as DER in base64. */
export function derOf(pem: string): string {
  const parts = pem.match(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g) ?? [];
  const bytes = parts.map((part) => Buffer.from(part.replaceAll(/-----[A-Z ]+-----|\s/g, ""), "base64"));
  return Buffer.concat(bytes).toString("base64");
}
