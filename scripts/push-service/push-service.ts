import { createECDH, type ECDH, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Config } from "../../src/composition/config.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { type AuthorityFolder, openAuthorityFolder } from "../test-ca/folder.js";
import { checkVapid, decryptMessage } from "./decryption.js";

/** A push that was taken, decrypted with the keys of the subscription. */
export interface ReceivedPush {
  /** Null for a push without a body. */
  content: { type: string; code?: string } | null;
  headers: IncomingHttpHeaders;
  bodyBytes: number;
  /** The length before encryption, padding included. */
  recordBytes: number;
  claims: { aud: string; exp: number; sub?: string };
}

/** What a device hands to its relay, and what has arrived for it. */
export interface TestSubscription {
  endpoint: string;
  p256dh: string;
  auth: string;
  received: ReceivedPush[];
}

interface ServiceAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

type Answer = ServiceAnswer | "none" | undefined;

/** A push service (RFC 8030) on `localhost`, with TLS, that checks every request and decrypts it for its subscribers. */
export interface TestPushService {
  origin: string;
  /** Lets a relay push to it. */
  config: Partial<Config>;
  /** A new subscription for the key that the relay publishes. */
  subscribe(vapidKey: string): TestSubscription;
  /** Decides on each push; undefined takes it. The default takes all. */
  answer: (endpoint: string, push: ReceivedPush) => Answer | Promise<Answer>;
  /** Requests that break an RFC, with the reason. Tests expect none. */
  faults: string[];
  /** Another service, whose certificate is by the same authority. */
  another(): Promise<TestPushService>;
  /** Requests so far, also those that were not taken. */
  requests: number;
  stop(): Promise<void>;
}

export async function startPushService(): Promise<TestPushService> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-push-"));
  const service = await startWith(await openAuthorityFolder(folder, { now: new Date() }));
  const { stop } = service;
  service.stop = async () => {
    await stop();
    await rm(folder, { recursive: true });
  };
  return service;
}

async function startWith(opened: AuthorityFolder): Promise<TestPushService> {
  const { cert, key } = await opened.authority.issue({ hosts: ["localhost"] });
  const port = await findFreePort();
  const origin = `https://localhost:${port}`;
  const known = new Map<string, { subscription: TestSubscription; ecdh: ECDH; auth: Buffer; vapidKey: Buffer }>();

  const take = async (url: string, headers: IncomingHttpHeaders, body: Buffer): Promise<ServiceAnswer | "none"> => {
    service.requests += 1;
    const found = known.get(`${origin}${url}`);
    if (found === undefined) return { status: 404 };
    const claims = checkVapid(headers.authorization, found.vapidKey);
    if (claims.aud !== origin) throw new Error(`aud is ${claims.aud}`);
    if (!/^\d+$/.test(String(headers["ttl"]))) throw new Error("there is no TTL");
    if (!/^[\w-]{1,32}$/.test(String(headers["topic"]))) throw new Error("the topic is not of RFC 8030");
    let content: ReceivedPush["content"] = null;
    let recordBytes = 0;
    if (body.length > 0) {
      if (headers["content-encoding"] !== "aes128gcm") throw new Error("the body has another coding");
      const decrypted = decryptMessage(body, found);
      content = JSON.parse(decrypted.plaintext.toString()) as ReceivedPush["content"];
      recordBytes = decrypted.recordBytes;
    }
    const push = { content, headers, bodyBytes: body.length, recordBytes, claims };
    const answer = (await service.answer(found.subscription.endpoint, push)) ?? { status: 201 };
    if (answer !== "none" && answer.status < 300) found.subscription.received.push(push);
    return answer;
  };
  const server = createServer({ cert, key, minVersion: "TLSv1.3" }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      let answer: ServiceAnswer | "none";
      try {
        answer = await take(request.url ?? "", request.headers, Buffer.concat(chunks));
      } catch (error) {
        service.faults.push(String(error));
        answer = { status: 400 };
      }
      if (answer === "none") return;
      const location = answer.status === 201 ? { Location: `${origin}/message/${service.requests}` } : {};
      response.writeHead(answer.status, { ...location, ...answer.headers }).end(answer.body);
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");

  const service: TestPushService = {
    origin,
    config: { pushAllowPrivate: true, pushPorts: [port], pushCaFile: opened.caFile },
    subscribe(vapidKey) {
      const ecdh = createECDH("prime256v1");
      ecdh.generateKeys();
      const auth = randomBytes(16);
      const subscription: TestSubscription = {
        endpoint: `${origin}/push/${randomBytes(16).toString("base64url")}`,
        p256dh: ecdh.getPublicKey("base64url"),
        auth: auth.toString("base64url"),
        received: [],
      };
      known.set(subscription.endpoint, { subscription, ecdh, auth, vapidKey: Buffer.from(vapidKey, "base64url") });
      return subscription;
    },
    answer: () => undefined,
    faults: [],
    another: () => startWith(opened),
    requests: 0,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  return service;
}
