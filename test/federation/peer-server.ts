import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { routes } from "../../generated/routes.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import type { PeerFixture } from "../support/peers.js";
import { createScriptedPeer, type ScriptedPeer } from "./scripted-peer.js";

/** Another server on the wire: it lets itself be found and called, and takes deliveries as its script says. */
export interface PeerServer {
  domain: string;
  script: ScriptedPeer;
  /** Paths that were asked for. */
  asked: string[];
  /** Documents that it serves besides, by their paths; of other paths that are asked for by GET there is nothing. */
  documents: Map<string, unknown>;
  /** What it answers to requests by POST, by their paths: the body of an answer with the status 200. */
  answers: Map<string, (asked: unknown) => unknown>;
  /** The status of those answers. */
  answerStatus: number;
  /** What its document announces; nothing, unless it is set. */
  capabilities: Record<string, unknown>;
  /** Where its document says that its federation interface is. */
  federationUrl: string;
  /** Discovery documents that are answered with 500 before one is given out. */
  discoveryFailures: number;
  /** Called before a delivery is answered; true where it has done that itself, in whatever way. */
  disturb: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** What it answers to authentications; 200 comes with a token. */
  sessionStatus: number;
  /** Tokens given out. */
  tokens: number;
  stop(): Promise<void>;
}

export async function startPeerServer(fixture: PeerFixture, host = "localhost"): Promise<PeerServer> {
  const { cert, key } = await fixture.authority.issue({ hosts: [host] });
  const script = createScriptedPeer();

  const answerTo = async (request: IncomingMessage): Promise<{ status: number; headers: object; body: unknown }> => {
    const body = await read(request);
    const [path = ""] = (request.url ?? "").split("?");
    peer.asked.push(path);
    if (path === routes.getDiscovery.path) {
      peer.discoveryFailures -= 1;
      return peer.discoveryFailures >= 0 ? nothing(500) : found(discovery(peer));
    }
    if (path.endsWith(routes.createFederationChallenge.path)) return found({ nonce: "ab".repeat(32), expires_at: 1 });
    if (path.endsWith(routes.authenticateServer.path)) {
      if (peer.sessionStatus !== 200) return nothing(peer.sessionStatus);
      peer.tokens += 1;
      return found({ federation_token: `token${peer.tokens}`, expires_at: 99_999_999_999, rate_limits: {} });
    }
    const answer = peer.answers.get(path);
    if (answer !== undefined) {
      const said = answer(JSON.parse(body.toString()));
      return peer.answerStatus === 200 ? found(said) : nothing(peer.answerStatus);
    }
    const document = peer.documents.get(path);
    if (request.method === "GET") return document === undefined ? nothing(404) : found(document);
    const attached = request.headers["content-type"] !== "application/json";
    return script.deliver(peer.domain as never, path.split("/").at(-1) ?? "", { bytes: body, attached });
  };
  const server = createServer({ cert, key, minVersion: "TLSv1.3" }, (request, response) => {
    if (request.method === "PUT" && peer.disturb(request, response)) return;
    answerTo(request).then(
      ({ status, headers, body }) => {
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(typeof body === "string" ? body : JSON.stringify(body));
      },
      () => request.socket.destroy(),
    );
  });
  // Another port than every peer before it: what was found out about one belongs to its name, with the port.
  server.listen(await findFreePort(), "127.0.0.1");
  await once(server, "listening");

  const domain = `${host}:${(server.address() as AddressInfo).port}`;
  const peer: PeerServer = {
    domain,
    federationUrl: `https://${domain}`,
    script,
    asked: [],
    answerStatus: 200,
    capabilities: {},
    documents: new Map(),
    answers: new Map(),
    discoveryFailures: 0,
    disturb: () => false,
    sessionStatus: 200,
    tokens: 0,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return peer;
}

function found(body: unknown) {
  return { status: 200, headers: {}, body };
}

function nothing(status: number) {
  return { status, headers: {}, body: {} };
}

function discovery({ domain, federationUrl, capabilities }: PeerServer) {
  return { server: domain, federation_url: federationUrl, versions: { federation: ["v1"] }, capabilities, links: {} };
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
