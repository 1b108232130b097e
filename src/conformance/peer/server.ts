// Another server, as somebody builds it who has read only the specification. It refuses every member that the specification
// does not name, and notes what it refused.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { runtimeWith } from "../../client/runtime/runtime.js";
import { encodeHex } from "../../protocol/encodings.js";
import { parseMessageId } from "../../protocol/identifiers.js";
import { Broken } from "../harness/assertions.js";

const discoveryPath = "/.well-known/svc";
const challengePath = "/federation/v1/challenge";
const authPath = "/federation/v1/auth";
const deliverPath = "/federation/v1/deliver/";
const waitMillis = 120_000;
const maxBodyBytes = 32 * 1024 * 1024;

type Members = Readonly<Record<string, unknown>>;

/** A message as it arrived. */
export interface ArrivedMessage extends Members {
  message_id: string;
  recipient_address: string;
  mls_ciphertext: string;
}

/** A delivery as it arrived, accepted or not. */
interface Attempt {
  transactionId: string;
  messages: readonly ArrivedMessage[];
}

/** What the peer does with the next delivery in place of accepting it. */
type Reaction =
  /** Refuses the token, which is void from then on. */
  | "token expired"
  /** Is too busy. */
  | "busy"
  /** Accepts the messages and loses the answer. */
  | "answer lost"
  /** Rejects every message of the delivery. */
  | "reject";

export interface Peer {
  domain: string;
  /** Every delivery that came with a valid token, oldest first. */
  readonly attempts: readonly Attempt[];
  /** How often the other server authenticated. */
  readonly authentications: readonly { nonce: string; answer: string; certificate: string }[];
  /** What the specification does not allow, one line each. Cleared by reading. */
  takeProblems(): string[];
  /** The next deliveries are answered like this, one each. */
  react(...reactions: readonly Reaction[]): void;
  /** Resolves when the condition holds; throws a Broken if it takes two minutes. */
  until(condition: () => boolean, otherwise: string): Promise<void>;
  stop(): Promise<void>;
}

interface PeerOptions {
  domain: string;
  cert: string;
  key: string;
  host: string;
  port: number;
}

/** Listens with TLS 1.3. */
export async function startPeer({ domain, cert, key, host, port }: PeerOptions): Promise<Peer> {
  const { nowMillis, randomBytes } = runtimeWith();
  const nowSeconds = () => Math.floor(nowMillis() / 1000);
  const nonce = encodeHex(randomBytes(32));
  const attempts: Attempt[] = [];
  const authentications: { nonce: string; answer: string; certificate: string }[] = [];
  const problems: string[] = [];
  const reactions: Reaction[] = [];
  const changes = new EventTarget();
  let tokens = 0;

  const check = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  const checkMembers = (what: string, found: unknown, names: readonly string[]): void => {
    const members = Object.keys(Object(found)).sort().join(", ");
    check(members === [...names].sort().join(", "), `${what} has the members ${members}`);
  };
  const routes: Record<string, (given: Given) => Reply> = {
    [`GET ${discoveryPath}`]: () => ({ status: 200, body: document }),
    [`POST ${challengePath}`]: () => ({ status: 200, body: { nonce, expires_at: nowSeconds() + 300 } }),
    [`POST ${authPath}`]({ body }) {
      checkMembers("an authentication", body, ["origin_server", "server_certificate", "challenge_response"]);
      authentications.push({
        nonce,
        answer: String(body["challenge_response"]),
        certificate: String(body["server_certificate"]),
      });
      tokens++;
      const rate_limits = { messages_per_minute: 1000, transactions_per_minute: 100 };
      return {
        status: 200,
        body: { federation_token: `token-${tokens}`, expires_at: nowSeconds() + 3600, rate_limits },
      };
    },
  };
  const deliver = ({ request, path, body }: Given): Reply => {
    if (request.headers.authorization !== `Bearer token-${tokens}`) return refusal(401, "INVALID_TOKEN", 4008);
    const transactionId = path.slice(deliverPath.length);
    const messages = (Array.isArray(body["messages"]) ? body["messages"] : []) as ArrivedMessage[];
    const reaction = reactions.shift();
    if (reaction === "token expired") {
      tokens++;
      return refusal(401, "INVALID_TOKEN", 4008);
    }
    attempts.push({ transactionId, messages });
    check((request.headers["content-type"] ?? "").startsWith("application/json"), "a delivery is not application/json");
    checkMembers("a delivery", body, ["origin_server", "transaction_id", "timestamp", "messages"]);
    check(request.headers["x-origin-server"] === body["origin_server"], "X-Origin-Server is not origin_server");
    check(body["transaction_id"] === transactionId, "transaction_id is not the path's");
    check(
      /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(transactionId),
      "transaction_id is no UUIDv4",
    );
    check(messages.length >= 1 && messages.length <= 100, `a delivery has ${messages.length} messages`);
    for (const message of messages) {
      checkMembers("a message", message, messageMembers);
      check(parseMessageId(String(message.message_id)) !== undefined, "a message_id is no UUIDv7");
    }
    if (reaction === "busy") return refusal(503, "BUSY", 5001);
    if (reaction === "answer lost") return { status: 0, body: {} };
    const ids = messages.map(({ message_id }) => message_id);
    const rejected = ids.map((message_id) => ({ message_id, error: "ADDRESS_NOT_FOUND", message: "no such address" }));
    const receipt =
      reaction === "reject"
        ? { status: "rejected", accepted_messages: [], rejected_messages: rejected }
        : { status: "accepted", accepted_messages: ids, rejected_messages: [] };
    return { status: 200, body: { transaction_id: transactionId, ...receipt, timestamp: nowSeconds() } };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const body = await bodyOf(request);
    const given = { request, path, body };
    const route = routes[`${request.method} ${path}`];
    const isDelivery = request.method === "PUT" && path.startsWith(deliverPath);
    const reply = isDelivery ? deliver(given) : (route?.(given) ?? refusal(404, "NOT_FOUND", 4016));
    changes.dispatchEvent(new Event("change"));
    if (reply.status === 0) return void request.socket.destroy();
    const text = JSON.stringify(reply.body);
    response.writeHead(reply.status, { "content-type": "application/json" }).end(text);
  };
  const server = createServer({ cert, key, minVersion: "TLSv1.3" }, (request, response) => {
    answer(request, response).catch((failure: unknown) => {
      problems.push(`${request.method} ${request.url}: ${String(failure)}`);
      response.destroy();
    });
  });
  server.listen(port, host);
  await once(server, "listening");

  return {
    domain,
    attempts,
    authentications,
    takeProblems: () => [...new Set(problems.splice(0))],
    react: (...next) => void reactions.splice(0, reactions.length, ...next),
    async until(condition, otherwise) {
      const deadline = performance.now() + waitMillis;
      while (!condition()) {
        const left = deadline - performance.now();
        if (left <= 0) throw new Broken(otherwise);
        await nextChange(changes, Math.min(left, 1_000));
      }
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** What the specification names of the discovery document, and nothing else. */
const document = {
  federation_enabled: true,
  max_connections_per_device: 1,
  max_message_backlog: 1000,
  keepalive_interval_seconds: 30,
  connection_timeout_seconds: 3600,
};
const messageMembers = ["message_id", "recipient_address", "mls_ciphertext", "sender_signature", "timestamp"];

interface Given {
  request: IncomingMessage;
  path: string;
  body: Members;
}

interface Reply {
  /** 0 closes the connection without an answer. */
  status: number;
  body: object;
}

function refusal(status: number, error: string, code: number): Reply {
  return { status, body: { error, message: "as the specification says", code } };
}

async function bodyOf(request: IncomingMessage): Promise<Members> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += (piece as Buffer).length;
    if (bytes > maxBodyBytes) throw new Error("the body is too large");
    pieces.push(piece as Buffer);
  }
  const text = Buffer.concat(pieces).toString("utf8");
  return text === "" ? {} : Object(JSON.parse(text));
}

function nextChange(changes: EventTarget, millis: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      changes.removeEventListener("change", done);
      resolve();
    };
    const timer = setTimeout(done, millis);
    changes.addEventListener("change", done, { once: true });
  });
}
