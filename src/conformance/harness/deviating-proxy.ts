import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type RawData, WebSocket, WebSocketServer } from "ws";

/** A request or an answer on its way. */
export interface Passing {
  method: string;
  path: string;
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body of the request, also with the answer. */
  sent: string;
  /** The headers of the request, also with the answer. */
  asked: Readonly<Record<string, string>>;
}

/** One stream on its way. */
interface PassingStream {
  /** What the client has sent, oldest first. */
  sent: Members[];
  /** What the server has sent, oldest first, this frame included. */
  received: Members[];
}

// biome-ignore lint/suspicious/noExplicitAny: a mutant changes members of bodies that it knows
export type Members = Record<string, any>;

/** How the server behind the proxy seems to differ from itself. Each changes what it is given, if it likes. */
export interface Deviation {
  request?: (request: Passing) => void | Promise<void>;
  /** A status of 0 closes the connection without an answer. */
  answer?: (answer: Passing) => void;
  /** Sees a frame of the client, which is passed on as it is. */
  sent?: (frame: Members) => void;
  /** Returns what is passed on in place of a frame of the server; undefined drops it. */
  frame?: (frame: Members, stream: PassingStream) => Members | undefined;
  /** The close code in place of the server's. */
  close?: (code: number) => number;
}

export interface DeviatingProxy {
  url: string;
  deviation: Deviation;
  stop(): Promise<void>;
}

const ownHeaders = ["connection", "content-length", "host", "keep-alive", "transfer-encoding", "content-encoding"];

/** Stands before a sound server: sees what passes, and makes the server seem unsound. */
export async function startDeviatingProxy(target: string): Promise<DeviatingProxy> {
  const proxy = { deviation: {} as Deviation };
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const request = await read(incoming);
    await proxy.deviation.request?.(request);
    const { method, path, headers, body } = request;
    const sent = Buffer.from(body, "latin1");
    const response = await fetch(target + path, {
      ...{ method, headers, redirect: "manual" },
      ...(body !== "" && { body: sent }),
    });
    const encoding = response.headers.get("content-type") === "application/octet-stream" ? "latin1" : "utf8";
    const answer: Passing = {
      ...request,
      sent: body,
      asked: headers,
      status: response.status,
      headers: plain(Object.fromEntries(response.headers)),
      body: Buffer.from(await response.arrayBuffer()).toString(encoding),
    };
    proxy.deviation.answer?.(answer);
    if (answer.status === 0) return void incoming.socket.destroy();
    const content = Buffer.from(answer.body, encoding);
    const length = method === "HEAD" ? response.headers.get("content-length") : String(content.length);
    const hasLength = length !== null && answer.status !== 304 && answer.status !== 204;
    outgoing
      .writeHead(answer.status, { ...answer.headers, ...(hasLength && { "content-length": length }) })
      .end(answer.status === 304 ? undefined : content);
  };
  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  const sockets = new WebSocketServer({ server, maxPayload: 0 });
  sockets.on("connection", (client, { url }) => {
    passStream(client, new WebSocket(`${target.replace(/^http/, "ws")}${url}`), () => proxy.deviation);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  });
}

function passStream(client: WebSocket, upstream: WebSocket, deviation: () => Deviation): void {
  const stream: PassingStream = { sent: [], received: [] };
  const waiting: [RawData, boolean][] = [];
  const pass = (data: RawData, binary: boolean) => upstream.send(data, { binary });
  client.on("message", (data, binary) => {
    const frame = parse(String(data));
    stream.sent.push(frame);
    deviation().sent?.(frame);
    if (upstream.readyState === WebSocket.OPEN) pass(data, binary);
    else waiting.push([data, binary]);
  });
  upstream.on("open", () => {
    for (const [data, binary] of waiting.splice(0)) pass(data, binary);
  });
  upstream.on("message", (data) => {
    const frame = parse(String(data));
    stream.received.push(frame);
    const { frame: change } = deviation();
    const passed = change === undefined ? frame : change(frame, stream);
    if (passed !== undefined) client.send(JSON.stringify(passed));
  });
  upstream.on("close", (code, reason) => {
    const passed = deviation().close?.(code) ?? code;
    if (passed === 1005 || passed === 1006) client.terminate();
    else client.close(passed, reason);
  });
  client.on("close", () => upstream.terminate());
  for (const socket of [client, upstream]) socket.on("error", () => undefined);
}

/** Bodies are kept byte by byte, because not all of them are texts. */
async function read(incoming: IncomingMessage): Promise<Passing> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const headers = plain(incoming.headers as Record<string, string>);
  const body = Buffer.concat(pieces).toString("latin1");
  const [method, path] = [incoming.method ?? "GET", incoming.url ?? "/"];
  return { method, path, status: 0, headers, body, sent: body, asked: headers };
}

function plain(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.includes(name)));
}

function parse(text: string): Members {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
