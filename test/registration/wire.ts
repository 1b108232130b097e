import { randomBytes, randomInt } from "node:crypto";
import { computeDelayProof, delayProofInput } from "../../src/protocol/delay-proof.js";
import { decodeHex, encodeHex } from "../../src/protocol/encodings.js";
import { deviceIdOf } from "../../src/protocol/identifiers.js";
import { publicKeyOf, sign } from "../../src/protocol/signature.js";
import { announcementText, prefixAnnouncementText } from "../../src/protocol/signed-text.js";
import { unusedSecond } from "../support/device.js";

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers are looked into freely
type Body = any;

/** An answer of the relay. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Body;
}

/** What these tests need to know of a running relay. */
interface Target {
  url: string;
  clock: { nowSeconds(): number };
}

export interface Keys {
  secret: Uint8Array;
  publicKey: string;
  deviceId: string;
}

export function newKeys(): Keys {
  const secret = new Uint8Array(randomBytes(32));
  const publicKey = publicKeyOf(secret);
  return { secret, publicKey: encodeHex(publicKey), deviceId: deviceIdOf(publicKey) };
}

/** A network address that no other test uses; the relay under test trusts this machine as a proxy. */
export function newIp(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
}

export async function send(
  relay: Target,
  path: string,
  options: { body?: unknown; ip?: string; token?: string; method?: string } = {},
): Promise<Answer> {
  const headers: Record<string, string> = { "x-forwarded-for": options.ip ?? newIp() };
  if (options.body !== undefined) headers["content-type"] = "application/json";
  if (options.token !== undefined) headers["authorization"] = `Bearer ${options.token}`;
  const init: RequestInit = { method: options.method ?? (options.body === undefined ? "GET" : "POST"), headers };
  if (options.body !== undefined) init.body = JSON.stringify(options.body);
  const response = await fetch(`${relay.url}${path}`, init);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export function challengeFor(relay: Target, keys: Keys, ip?: string): Promise<Answer> {
  const body = { public_key: keys.publicKey };
  return send(relay, "/api/v1/announce/challenge", ip === undefined ? { body } : { body, ip });
}

interface Proof {
  input: string;
  iterations: number;
  output: string;
  checkpoints?: string[];
}

/** Does the work that a challenge asks for. */
export async function prove(
  challenge: { challenge: string; iterations: number },
  keys: Keys,
  checkpoints = false,
): Promise<Proof> {
  const input = delayProofInput(bytes(challenge.challenge), bytes(keys.publicKey));
  const proof = await computeDelayProof({ input, iterations: challenge.iterations, checkpoints });
  const plain = { input: encodeHex(input), iterations: challenge.iterations, output: encodeHex(proof.output) };
  return proof.checkpoints === undefined ? plain : { ...plain, checkpoints: proof.checkpoints.map(encodeHex) };
}

/** A challenge and the work for it. */
export async function newProof(relay: Target, keys: Keys): Promise<Proof> {
  const { body } = await challengeFor(relay, keys);
  return prove(body, keys);
}

/** The body of POST /api/v1/announce, signed now unless `timestamp` says otherwise. */
export function registrationBody(
  relay: Target,
  keys: Keys,
  extra: Record<string, unknown> = {},
): Record<string, unknown> {
  const timestamp =
    (extra["timestamp"] as number | undefined) ?? unusedSecond(keys.publicKey, relay.clock.nowSeconds());
  const audience = extra["audience"] as string | undefined;
  const signature = sign(keys.secret, announcementText({ deviceId: keys.deviceId, timestamp, audience }));
  return { device_id: keys.deviceId, public_key: keys.publicKey, signature, timestamp, ...extra };
}

/** The body of POST /api/v1/device/announce, signed now unless `timestamp` says otherwise. */
export function prefixBody(
  relay: Target,
  keys: Keys,
  prefixes: string[],
  extra: Record<string, unknown> = {},
): Record<string, unknown> {
  const timestamp =
    (extra["timestamp"] as number | undefined) ?? unusedSecond(keys.publicKey, relay.clock.nowSeconds());
  const deviceId = (extra["device_id"] as string | undefined) ?? keys.publicKey;
  const audience = extra["audience"] as string | undefined;
  const signature = sign(keys.secret, prefixAnnouncementText({ deviceId, prefixes, timestamp, audience }));
  return { device_id: deviceId, delivery_address_prefixes: prefixes, signature, timestamp, ...extra };
}

export function register(
  relay: Target,
  keys: Keys,
  extra: Record<string, unknown> = {},
  options: { ip?: string } = {},
): Promise<Answer> {
  return send(relay, "/api/v1/announce", { body: registrationBody(relay, keys, extra), ...options });
}

export function announce(
  relay: Target,
  keys: Keys,
  prefixes: string[],
  extra: Record<string, unknown> = {},
): Promise<Answer> {
  return send(relay, "/api/v1/device/announce", { body: prefixBody(relay, keys, prefixes, extra) });
}

/** A device that is registered with a proof. */
export async function registered(relay: Target): Promise<{ keys: Keys; answer: Answer }> {
  const keys = newKeys();
  const answer = await register(relay, keys, { vdf_proof: await newProof(relay, keys) });
  if (answer.status !== 200) throw new Error(`not registered: ${JSON.stringify(answer.body)}`);
  return { keys, answer };
}

/** A prefix of 32 hex characters. */
export function newPrefix(): string {
  return randomBytes(16).toString("hex");
}

/** The claims of a token, unverified. */
export function claimsOf(token: string): Body {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

export function randomHex(length: number): string {
  return randomBytes(length).toString("hex");
}

function bytes(hex: string): Uint8Array {
  const decoded = decodeHex(hex);
  if (decoded === undefined) throw new Error("not hexadecimal");
  return decoded;
}
