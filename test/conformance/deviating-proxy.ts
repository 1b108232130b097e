import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A request or an answer on its way. */
interface Passing {
  method: string;
  path: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** How the server behind the proxy seems to differ from itself. Each changes what it is given, if it likes. */
export interface Deviation {
  request?: (request: Passing) => void;
  answer?: (answer: Passing) => void;
}

export interface DeviatingProxy {
  url: string;
  deviation: Deviation;
  stop(): Promise<void>;
}

const ownHeaders = ["connection", "content-length", "host", "keep-alive", "transfer-encoding", "content-encoding"];

/** Stands between the suite and a sound server, and makes it unsound. */
export async function startDeviatingProxy(target: string): Promise<DeviatingProxy> {
  const proxy = { deviation: {} as Deviation };
  const server = createServer(async (incoming, outgoing) => {
    const request = await read(incoming);
    proxy.deviation.request?.(request);
    const { method, path, headers, body } = request;
    const response = await fetch(target + path, { method, headers, redirect: "manual", ...(body !== "" && { body }) });
    const answer: Passing = {
      ...request,
      status: response.status,
      headers: plain(Object.fromEntries(response.headers)),
      body: await response.text(),
    };
    proxy.deviation.answer?.(answer);
    outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  });
}

async function read(incoming: IncomingMessage): Promise<Passing> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return {
    method: incoming.method ?? "GET",
    path: incoming.url ?? "/",
    status: 0,
    headers: plain(incoming.headers as Record<string, string>),
    body: Buffer.concat(pieces).toString("utf8"),
  };
}

function plain(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.includes(name)));
}
