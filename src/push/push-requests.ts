import { createECDH, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { rootCertificates } from "node:tls";
import type { Clock } from "../node/clock.js";
import { AddressRefused, allowedAddresses } from "../node/host-lookup.js";
import type { Resolve } from "../node/resolver.js";
import { readRetryAfter } from "../protocol/retry-after.js";
import { hourSeconds } from "../protocol/units.js";
import type { PushSettings } from "./config.js";
import { encryptMessage } from "./message-encryption.js";
import { addressRefused, endpointUrl, guardedLookup } from "./push-endpoint.js";
import type { PushTarget, PushUrgency } from "./types.js";
import type { VapidKey } from "./vapid.js";

/** One push message (RFC 8030). */
export interface PushMessage {
  /** The decrypted body, as JSON. */
  content: object;
  urgency: PushUrgency;
  /** Of the pushes with one topic, a service keeps only the last one for a device that is off. */
  topic: string;
  ttlSeconds: number;
}

/**
 * What became of a push:
 *
 *   accepted     the service has taken it
 *   gone         the subscription does not exist any more (404, 410)
 *   unavailable  the service does not take pushes now: no answer, or a failure of its own (5xx)
 *   limited      too many pushes (429): the service limits the relay, or this subscription
 *   refused      any other status: another attempt may fail likewise
 */
export interface PushOutcome {
  kind: "accepted" | "gone" | "unavailable" | "limited" | "refused";
  /** Null if there was no answer. */
  status: number | null;
  retryAfterSeconds: number | null;
}

/** Requests to push services. */
export type PushRequests = ReturnType<typeof createPushRequests>;

interface PushRequestsDeps {
  clock: Clock;
  resolve: Resolve;
  vapidKey(): VapidKey;
  config: Pick<PushSettings, "pushAllowPrivate" | "pushPorts" | "pushCaFile" | "pushTimeoutSeconds">;
}

/** All bodies have this length before encryption, so that a service cannot tell them apart. */
const paddedBytes = 128;
const connectionsPerService = 16;
const maxIdleConnections = 256;
const idleMillis = 30_000;
const longestRetryAfterSeconds = 24 * hourSeconds;

/** Connections are kept between requests. Redirects are not followed, and the bodies of answers are not read. */
export function createPushRequests(deps: PushRequestsDeps) {
  const { clock, config } = deps;
  const own = config.pushCaFile === null ? [] : [readFileSync(config.pushCaFile, "utf8")];
  const agent = new Agent({
    keepAlive: true,
    maxSockets: connectionsPerService,
    maxFreeSockets: connectionsPerService,
    timeout: idleMillis,
    ca: [...rootCertificates, ...own],
    minVersion: "TLSv1.3",
  });
  const lookup = guardedLookup(deps);

  const post = (url: URL, { headers, body, within }: Attempt): Promise<Answer> =>
    new Promise((resolve, reject) => {
      boundIdle(agent);
      const sent = request(url, { agent, lookup, method: "POST", headers });
      const deadline = setTimeout(() => sent.destroy(new Error("no answer in time")), within);
      // A request can fail more than once, even after its answer, and every error needs a listener.
      sent.on("error", reject);
      sent.once("close", () => clearTimeout(deadline));
      sent.once("response", (answer) => {
        const { statusCode = 0, headers: received } = answer;
        resolve({ status: statusCode, retryAfter: received["retry-after"] });
        endAnswer(answer, () => sent.destroy());
      });
      sent.end(body);
    });
  const attempt = async (url: URL, given: Attempt): Promise<PushOutcome> => {
    try {
      return outcomeOf(await post(url, given), clock.nowMillis());
    } catch (error) {
      if (error instanceof AddressRefused) throw addressRefused();
      return { kind: "unavailable", status: null, retryAfterSeconds: null };
    }
  };

  return {
    /** Throws PUSH_ENDPOINT_REFUSED if nothing may be sent to this endpoint. */
    async check(endpoint: string): Promise<void> {
      const { hostname } = endpointUrl(endpoint, config);
      try {
        await allowedAddresses(hostname, { resolve: deps.resolve, allowPrivate: config.pushAllowPrivate });
      } catch (error) {
        throw error instanceof AddressRefused ? addressRefused() : error;
      }
    },
    /** Sends one push. Throws only PUSH_ENDPOINT_REFUSED. */
    async send(target: PushTarget, message: PushMessage): Promise<PushOutcome> {
      const url = endpointUrl(target.endpoint, config);
      const common = {
        Authorization: deps.vapidKey().authorization(url.origin, clock.nowSeconds()),
        TTL: String(message.ttlSeconds),
        Urgency: message.urgency,
        Topic: message.topic,
      };
      const body = encrypt(target, message.content);
      const coded = { "Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream" };
      const began = performance.now();
      /** One deadline for both attempts. */
      const within = () => Math.max(0, config.pushTimeoutSeconds * 1000 - (performance.now() - began));
      const whole = { ...common, ...coded, "Content-Length": String(body.length) };
      const first = await attempt(url, { headers: whole, body, within: within() });
      // RFC 8030 (7.2) lets a service refuse any body. A push without one wakes the device as well.
      if (first.status !== tooLarge) return first;
      const empty = { ...common, "Content-Length": "0" };
      return attempt(url, { headers: empty, body: Buffer.alloc(0), within: within() });
    },
    /** Closes all connections. */
    close: (): void => agent.destroy(),
  };
}

interface Attempt {
  headers: Record<string, string>;
  body: Buffer;
  /** In milliseconds. */
  within: number;
}

/** Closes an idle connection if there are many, so that no service waits for connections that others left open. */
function boundIdle({ freeSockets }: Agent): void {
  const idle = Object.values(freeSockets).flatMap((sockets) => sockets ?? []);
  if (idle.length >= maxIdleConnections) idle[0]?.destroy();
}

const tooLarge = 413;
const maxAnswerBytes = 65_536;

/** Reads a short answer to its end, so that the connection can be used again, and cuts off a long one. */
function endAnswer(answer: IncomingMessage, cut: () => void): void {
  let bytes = 0;
  answer.on("error", () => undefined);
  answer.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) cut();
  });
}

interface Answer {
  status: number;
  retryAfter: string | undefined;
}

function outcomeOf({ status, retryAfter }: Answer, nowMillis: number): PushOutcome {
  const asked = readRetryAfter(retryAfter, nowMillis);
  const retryAfterSeconds = asked === null ? null : Math.min(asked, longestRetryAfterSeconds);
  return { kind: kindOf(status), status, retryAfterSeconds };
}

function kindOf(status: number): PushOutcome["kind"] {
  if (status >= 200 && status < 300) return "accepted";
  if (status === 404 || status === 410) return "gone";
  if (status === 429) return "limited";
  // ntfy answers 507 for a topic that nobody has subscribed to, which says nothing about the service.
  return status >= 500 && status !== 507 ? "unavailable" : "refused";
}

function encrypt({ p256dh, auth }: PushTarget, content: object): Buffer {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  return encryptMessage(
    Buffer.from(JSON.stringify(content)),
    { p256dh: Buffer.from(p256dh, "base64url"), auth: Buffer.from(auth, "base64url") },
    { salt: randomBytes(16), privateKey: pair.getPrivateKey(), paddedBytes },
  );
}
