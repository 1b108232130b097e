// A relay for testing clients. It keeps to the contract, and within it does what a rule asks for: repeats, delays, loses,
// refuses and adds. It keeps nothing after it stops, and one device uses it at a time.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { type ServerFrame, streamPath } from "../../../generated/frames.js";
import type { OperationId } from "../../../generated/handlers.js";
import { runtimeWith } from "../../client/runtime/runtime.js";
import { decodeHex, encodeBase64, encodeHex, utf8 } from "../../protocol/encodings.js";
import { deviceIdOf, newMessageId, parseMessageId } from "../../protocol/identifiers.js";
import { verifyBytes } from "../../protocol/signature.js";
import { announcementText, prefixAnnouncementText } from "../../protocol/signed-text.js";
import { readContract } from "../harness/contract.js";
import { type Changes, createChanges } from "./changes.js";

export type Members = Readonly<Record<string, unknown>>;

const domain = "relay.conformance.example";
const maxBodyBytes = 1024 * 1024;
/** How many messages are pushed ahead of their acknowledgements. */
const window = 10;

/** An answer to a request; status 0 closes the connection without one. */
export interface Reply {
  status: number;
  body: Members;
  headers?: Readonly<Record<string, string>>;
  /** How late it is sent. */
  afterMillis?: number;
}

/** A message that the client sent by `POST /v1/messages`, with the token that it used and the time of arrival. */
export interface SentMessage {
  body: Members;
  token: string;
  atMillis: number;
}

/** What the relay does differently for the rule under way; all of it is within the contract. */
export interface Behaviour {
  /** Answers a sent message in place of accepting it. `count` is 1 for the first request of this message. */
  onSend?: ((sent: SentMessage, count: number) => Reply | undefined) | undefined;
  /** Refuses an acknowledgement on the stream, whose messages then stay queued, with this error. */
  onAcknowledge?: ((ids: readonly string[]) => Members | undefined) | undefined;
  /** Gets the confirmations of acknowledgements and sends them when it likes; `send` takes one. */
  onConfirmation?: ((frame: ServerFrame, send: (frame: ServerFrame) => void) => void) | undefined;
  /** Changes every answer of success and every frame. */
  decorate?: ((body: Members) => Members) | undefined;
  /** Whether a stream is refused. */
  refusesStreams?: boolean | undefined;
}

export interface ClientRelay extends Changes {
  url: string;
  domain: string;
  behaviour: Behaviour;
  /** Puts a message into the device's queue, and pushes it if a stream is open. Returns it. */
  deliver(message?: Members): Members & { message_id: string };
  /** Sends a frame on the open stream. */
  push(frame: Members): void;
  /** Ends the open stream with this close code. */
  closeStream(code: number, reason: string): void;
  readonly sent: readonly SentMessage[];
  /** Ids in the order in which they were acknowledged, repetitions included. */
  readonly acknowledged: readonly string[];
  /** When streams were asked for, and how many of them are open. */
  readonly streamAttempts: readonly number[];
  isStreaming(): boolean;
  polls(): number;
  announcements(): number;
  /** What the client did against the contract, one line each. Cleared by reading. */
  takeFaults(): string[];
  nowMillis(): number;
  stop(): Promise<void>;
}

/** Listens on loopback. */
export async function startClientRelay(validFrame: (frame: unknown) => boolean): Promise<ClientRelay> {
  const { nowMillis, randomBytes } = runtimeWith();
  const nowSeconds = () => Math.floor(nowMillis() / 1000);
  const contract = await readContract();
  const { until, changed } = createChanges();
  const queue: (Members & { message_id: string })[] = [];
  const known = new Set<string>();
  const sent: SentMessage[] = [];
  const acknowledged: string[] = [];
  const streamAttempts: number[] = [];
  const faults: string[] = [];
  const tokens = new Set<string>();
  let polls = 0;
  let announcements = 0;
  let socket: WebSocket | undefined;
  let pushed = 0;

  const fault = (text: string) => void faults.push(text);
  const relay: ClientRelay = {
    url: "",
    domain,
    behaviour: {},
    deliver(message) {
      const made = {
        message_id: newMessageId(nowMillis(), randomBytes(10)),
        mls_ciphertext: encodeBase64(randomBytes(48)),
        sender_signature: encodeHex(randomBytes(64)),
        timestamp: nowSeconds(),
        received_at: nowSeconds(),
        ...message,
      };
      known.add(made.message_id);
      queue.push(made);
      pump();
      return made;
    },
    push: (frame) => void socket?.send(JSON.stringify(decorated(frame))),
    closeStream: (code, reason) => socket?.close(code, reason),
    sent,
    acknowledged,
    streamAttempts,
    isStreaming: () => socket !== undefined,
    polls: () => polls,
    announcements: () => announcements,
    takeFaults: () => [...new Set(faults.splice(0))],
    nowMillis,
    until,
    changed,
    async stop() {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  const decorated = (body: Members): Members => relay.behaviour.decorate?.(body) ?? body;

  const pump = () => {
    while (socket !== undefined && pushed < Math.min(queue.length, window)) {
      relay.push({ type: "message", data: queue[pushed] as Members });
      pushed++;
    }
  };
  const acknowledge = (id: string): boolean => {
    const canonical = parseMessageId(id) ?? id;
    acknowledged.push(canonical);
    if (!known.has(canonical)) fault(`it acknowledged ${canonical}, which was never delivered`);
    const index = queue.findIndex((one) => one.message_id === canonical);
    if (index < 0) return false;
    queue.splice(index, 1);
    if (index < pushed) pushed--;
    return true;
  };
  const newToken = (): string => {
    const token = [18, 24, 48].map((length) => Buffer.from(randomBytes(length)).toString("base64url")).join(".");
    tokens.clear();
    tokens.add(token);
    return token;
  };
  const session = () => ({ access_token: newToken(), expires_at: nowSeconds() + 86_400 });
  const capabilities = { max_message_size: 10_485_760, federation_enabled: false, supported_mls_versions: ["1.0"] };

  const announced = (body: Members, text: string): boolean => {
    const publicKey = decodeHex(String(body["public_key"] ?? ""), 32);
    const isOwn = publicKey !== undefined && deviceIdOf(publicKey) === body["device_id"];
    const isSigned = publicKey !== undefined && verifyBytes(publicKey, utf8(text), String(body["signature"]));
    if (!isOwn) fault("it announced a device id that is not the hash of its public key");
    if (!isSigned) fault("it announced with a signature over another text");
    announcements++;
    return isOwn && isSigned;
  };
  const audienceOf = (body: Members) => (body["audience"] === undefined ? {} : { audience: String(body["audience"]) });
  const operations: Partial<Record<OperationId, (given: Given) => Reply>> = {
    getDiscovery: () => ok(discoveryOf(relay.url, capabilities)),
    createRegistrationChallenge: () => ok(challenge()),
    getRegistrationChallenge: () => ok(challenge()),
    announceWithProof({ body }) {
      const signed = { deviceId: String(body["device_id"]), timestamp: Number(body["timestamp"]), ...audienceOf(body) };
      if (!announced(body, announcementText(signed))) return refusal(403, "INVALID_SIGNATURE", 4001);
      const prefix = newUuid(randomBytes(16));
      const delivery_address = { full_address: `${prefix}@${domain}`, prefix, created_at: nowSeconds() };
      return ok({ status: "success", device_id: body["device_id"], delivery_address, ...session() });
    },
    announceDevice({ body }) {
      const prefixes = (body["delivery_address_prefixes"] ?? []) as string[];
      const signed = { deviceId: String(body["device_id"]), timestamp: Number(body["timestamp"]), ...audienceOf(body) };
      // Known devices leave their public key out, and nothing is known of them here.
      const isChecked =
        body["public_key"] === undefined || announced(body, prefixAnnouncementText({ ...signed, prefixes }));
      if (!isChecked) return refusal(403, "INVALID_SIGNATURE", 4001);
      const announced_addresses = prefixes.map((prefix) => `${prefix}@${domain}`);
      const answer = { status: "success", device_id: body["device_id"], announced_addresses, ...session() };
      return ok({ ...answer, server_capabilities: capabilities });
    },
    refreshDeviceToken: () => ok(session()),
    sendMessage({ body, token }) {
      const message = { body, token, atMillis: performance.now() };
      sent.push(message);
      const count = sent.filter((one) => one.body["message_id"] === body["message_id"]).length;
      const answer = { message_id: body["message_id"], status: "queued", delivery_estimate: "delayed" };
      return relay.behaviour.onSend?.(message, count) ?? { status: 202, body: answer };
    },
    pollMessages() {
      polls++;
      return ok({ messages: [...queue], has_more: false, next_poll_interval: 1, server_timestamp: nowSeconds() });
    },
    acknowledgeMessage: ({ path }) =>
      ok({ acknowledged: acknowledge(decodeURIComponent(path.split("/").at(-1) ?? "")) }),
    acknowledgeMessages({ body }) {
      const ids = (body["message_ids"] ?? []) as string[];
      const acknowledged_count = ids.filter(acknowledge).length;
      return ok({ acknowledged_count, failed_count: ids.length - acknowledged_count });
    },
    getKeyPackageStatus: () => ok({ available_count: 50, has_last_resort: true }),
  };
  const challenge = () => {
    return { challenge: encodeHex(randomBytes(32)), iterations: 1_000, expires_at: nowSeconds() + 300 };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const method = request.method ?? "GET";
    const text = await textOf(request);
    const operation = contract.operationAt(method, path) as OperationId | undefined;
    const reply = replyTo({ operation, path, text, request });
    changed();
    if (reply.afterMillis !== undefined) await new Promise((resolve) => setTimeout(resolve, reply.afterMillis));
    if (reply.status === 0) return void request.socket.destroy();
    const body = JSON.stringify(reply.status < 400 ? decorated(reply.body) : reply.body);
    response.writeHead(reply.status, {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...reply.headers,
    });
    response.end(body);
  };
  const replyTo = ({ operation, path, text, request }: Asked): Reply => {
    if (operation === undefined) return refusal(404, "NOT_FOUND", 4016);
    for (const problem of contract.requestFaults(operation, text)) fault(`${operation}: ${problem}`);
    const token = (request.headers.authorization ?? "").replace(/^Bearer /, "");
    const needsToken = !open.includes(operation);
    if (needsToken && !tokens.has(token)) return invalidToken;
    return operations[operation]?.({ path, token, body: parse(text) }) ?? refusal(404, "NOT_FOUND", 4016);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((failure: unknown) => {
      fault(`${request.method} ${request.url}: ${String(failure)}`);
      response.destroy();
    });
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 });
  server.on("upgrade", (request, connection, head) => {
    // A client that is refused may reset the connection.
    connection.on("error", () => undefined);
    const isRefused = relay.behaviour.refusesStreams === true || request.url !== streamPath;
    streamAttempts.push(performance.now());
    changed();
    if (isRefused) return void connection.end("HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n");
    sockets.handleUpgrade(request, connection, head, listen);
  });
  const listen = (opened: WebSocket) => {
    opened.on("error", () => undefined);
    opened.on("message", (data: Buffer) => receive(opened, parse(data.toString())));
    opened.on("close", () => {
      if (socket === opened) socket = undefined;
      changed();
    });
  };
  const refusesAcknowledgement = (frame: Members, send: (answered: Members) => void): boolean => {
    const isBatch = frame["type"] === "ack_batch";
    if (!isBatch && frame["type"] !== "ack") return false;
    const ids = (isBatch ? frame["message_ids"] : [frame["message_id"]]) as string[];
    const error = relay.behaviour.onAcknowledge?.(ids);
    if (error !== undefined)
      send({ type: "error", ...error, ...(isBatch ? { message_ids: ids } : { message_id: ids[0] }) });
    return error !== undefined;
  };
  const receive = (from: WebSocket, frame: Members): void => {
    if (!validFrame(frame)) fault(`it sent a frame outside the contract: ${JSON.stringify(frame).slice(0, 200)}`);
    const send = (answered: Members) => from.send(JSON.stringify(decorated(answered)));
    const confirm = (answered: ServerFrame) => {
      if (relay.behaviour.onConfirmation === undefined) send(answered);
      else relay.behaviour.onConfirmation(answered, send);
      pump();
    };
    const status = { type: "status", status: "connected", server_timestamp: nowSeconds(), next_poll_fallback: 1 };
    if (frame["type"] === "auth") {
      if (!tokens.has(String(frame["access_token"]))) {
        send({ type: "error", error: "INVALID_TOKEN", code: 4008, message: "the token is not valid" });
        from.close(4008, "invalid token");
        return;
      }
      if (socket !== from) pushed = 0;
      socket = from;
      send({ ...status, window });
      pump();
    } else if (frame["type"] === "ping") {
      send(status);
    } else if (refusesAcknowledgement(frame, send)) {
      changed();
    } else if (frame["type"] === "ack") {
      const message_id = String(frame["message_id"]);
      confirm({ type: "ack_confirmed", message_id, acknowledged: acknowledge(message_id) });
    } else if (frame["type"] === "ack_batch") {
      const ids = (frame["message_ids"] ?? []) as string[];
      const acknowledged_count = ids.filter(acknowledge).length;
      confirm({ type: "ack_batch_confirmed", acknowledged_count, failed_count: ids.length - acknowledged_count });
    }
    changed();
  };

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  relay.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return relay;
}

/** An error as the catalogue has it, or one that it does not have. */
export function refusal(status: number, error: string, code: number): Reply {
  return { status, body: { error, code, message: "the conformance suite refuses this" } };
}

const open: readonly OperationId[] = [
  "getDiscovery",
  "createRegistrationChallenge",
  "getRegistrationChallenge",
  "announceWithProof",
  "announceDevice",
];
const invalidToken: Reply = { ...refusal(401, "INVALID_TOKEN", 4008), headers: { "www-authenticate": "Bearer" } };

interface Given {
  path: string;
  token: string;
  body: Members;
}

interface Asked {
  operation: OperationId | undefined;
  path: string;
  text: string;
  request: IncomingMessage;
}

function ok(body: Members): Reply {
  return { status: 200, body };
}

function discoveryOf(url: string, capabilities: Members): Members {
  const limits = { max_connections_per_device: 1, max_message_backlog: 1000, keepalive_interval_seconds: 30 };
  const stream = { ...limits, connection_timeout_seconds: 86_400, max_window: window };
  return {
    server: domain,
    server_name: "The conformance suite",
    base_url: url,
    federation_url: url,
    versions: { protocol: "1.0", api: ["v1"], federation: ["v1"] },
    capabilities: { ...capabilities, max_message_recipients: 100, shared_ciphertexts: false },
    federation_enabled: false,
    stream: { url: `${url.replace(/^http/, "ws")}${streamPath}`, ...stream },
    ...limits,
    connection_timeout_seconds: 86_400,
    registration: { enabled: true, mode: "open" },
    links: { openapi: `${url}/openapi.json`, asyncapi: `${url}/asyncapi.json`, jwks: `${url}/.well-known/jwks.json` },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += (piece as Buffer).length;
    if (bytes > maxBodyBytes) throw new Error("the body is too large");
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function parse(text: string): Members {
  try {
    return Object(JSON.parse(text === "" ? "{}" : text));
  } catch {
    return {};
  }
}

function newUuid(bytes: Uint8Array): string {
  const hex = encodeHex(bytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
