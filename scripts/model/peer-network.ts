import { once } from "node:events";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { routes } from "../../generated/routes.js";
import { wait } from "./comparison.js";

/** A transaction that a node has sent, and that waits for its answer. */
export interface Arrival {
  id: string;
  /** The ids of its messages, in order. */
  messageIds: string[];
  /** Answers the node. */
  answer(answer: PeerAnswer): void;
  /** Gives the transaction to the peer, whatever has become of its node, and returns the peer's answer. */
  deliver(): Promise<PeerAnswer>;
}

export interface PeerAnswer {
  status: number;
  type: string;
  body: string;
}

/** What lies between a relay and its peer: transactions wait here for what becomes of them; everything else passes. */
export interface PeerNetwork {
  port: number;
  forwardTo(url: string): void;
  /** Whether transactions wait, pass at once, or are refused at once. */
  mode: "wait" | "pass" | "refuse";
  /** Waits for a transaction that was not taken out yet, and takes it out. */
  next(id: string): Promise<Arrival>;
  /** Refuses what waits. */
  refuseAll(): void;
  stop(): Promise<void>;
}

const delivering = routes.deliverTransaction;
const deliveryPath = delivering.path.split(":")[0] ?? "";
const busy: PeerAnswer = { status: 503, type: "text/plain", body: "" };

export async function startPeerNetwork(credential: { cert: string; key: string }): Promise<PeerNetwork> {
  let target = "";
  const waiting = new Set<Arrival>();

  const forward = async (request: Request): Promise<PeerAnswer> => {
    const { method, path, headers, body } = request;
    const init: RequestInit = { method, headers: passedOn(headers), redirect: "manual" };
    if (body.length > 0) init.body = new Uint8Array(body);
    const response = await fetch(new URL(path, target), init);
    return {
      status: response.status,
      type: response.headers.get("content-type") ?? "",
      body: await response.text(),
    };
  };
  const take = async (request: Request, response: ServerResponse): Promise<void> => {
    const isDelivery = request.method.toLowerCase() === delivering.method && request.path.startsWith(deliveryPath);
    if (!isDelivery || network.mode === "pass") return reply(response, await forward(request));
    if (network.mode === "refuse") return reply(response, busy);
    const arrival: Arrival = {
      id: request.path.slice(deliveryPath.length),
      messageIds: [...request.body.toString("latin1").matchAll(/"message_id":"([^"]+)"/g)].map(([, id]) => id ?? ""),
      answer: (answer) => reply(response, answer),
      deliver: () => forward(request),
    };
    waiting.add(arrival);
    response.on("close", () => waiting.delete(arrival));
  };
  const server = createServer({ ...credential, minVersion: "TLSv1.3" }, (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("error", () => undefined);
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", url: path = "", headers } = incoming;
      take({ method, path, headers, body: Buffer.concat(chunks) }, response).catch(() => response.destroy());
    });
  });
  server.requestTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const network: PeerNetwork = {
    port: (server.address() as AddressInfo).port,
    mode: "wait",
    forwardTo(url) {
      target = url;
    },
    async next(id) {
      let found: Arrival | undefined;
      await wait(`transaction ${id}`, async () => {
        found = [...waiting].find((one) => one.id === id);
        return found !== undefined;
      });
      waiting.delete(found as Arrival);
      return found as Arrival;
    },
    refuseAll() {
      for (const arrival of waiting) arrival.answer(busy);
      waiting.clear();
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return network;
}

interface Request {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const connectionHeaders = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "keep-alive",
  "expect",
]);

function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || connectionHeaders.has(name) ? [] : [[name, String(value)]],
    ),
  );
}

function reply(response: ServerResponse, { status, type, body }: PeerAnswer): void {
  response.writeHead(status, { "content-type": type });
  response.end(body);
}
