import type { ClientRequest, IncomingMessage } from "node:http";
import { type RequestOptions, request } from "node:https";
import type { TLSSocket } from "node:tls";
import type { Domain } from "../../protocol/address.js";
import type { FederationSettings } from "../model/config.js";
import { PeerAgent, type PeerAgentDeps, shownCertificates, unbracketed } from "./connection.js";
import { PeerError } from "./types.js";

export interface HttpRequest {
  url: string;
  /** The peer that the request is for, even if its URL names another host. */
  peer: Domain;
  method: "GET" | "POST" | "PUT";
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  /** Maximum bytes of the answer. The default is the configured limit. */
  answerBytes?: number;
  /** Whether to return the certificates that the server shows. */
  withCertificates?: boolean;
}

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** In DER, the server's certificate first; empty unless requested. */
  certificates: readonly Buffer[];
  /** Whether the request was sent before on a connection that broke: the peer may have got it twice. */
  repeated: boolean;
}

/** HTTPS requests to peers. Redirects are not followed, and sizes and times are limited. */
export interface FederationHttp {
  /** Throws PeerError if there is no answer. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Closes all connections. */
  close(): void;
}

interface FederationHttpDeps extends PeerAgentDeps {
  config: PeerAgentDeps["config"] &
    PortLimits &
    Pick<FederationSettings, "federationRequestTimeoutSeconds" | "federationResponseBytes">;
}

/** The ports that peers may be called on. */
export type PortLimits = Pick<FederationSettings, "federationPorts" | "federationAllowAnyPort">;

const httpsPort = 443;

/** Keeps a connection to each peer open between requests. */
export function createFederationHttp(deps: FederationHttpDeps): FederationHttp {
  const agent = new PeerAgent(deps);
  const { config } = deps;
  const attempt = (target: Target): Promise<HttpAnswer> => sendOnce(agent, target);

  return {
    async send(asked) {
      const url = checkedUrl(asked.url, config);
      const timeoutMillis = (config.federationConnectTimeoutSeconds + config.federationRequestTimeoutSeconds) * 1000;
      const target = { asked, url, timeoutMillis, answerBytes: asked.answerBytes ?? config.federationResponseBytes };
      try {
        return await attempt(target);
      } catch (error) {
        // The peer closed a kept connection just when it was used again, so one new connection is tried.
        if (error instanceof StaleConnection) return { ...(await attempt(target)), repeated: true };
        throw error;
      }
    },
    close: () => agent.destroy(),
  };
}

/** Parses an https URL with a port that is allowed for peers. Throws PeerError. */
export function checkedUrl(text: string, config: PortLimits): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "") {
    throw new PeerError("address", "peers are called by https URLs without credentials");
  }
  const port = Number(url.port || httpsPort);
  if (!config.federationAllowAnyPort && !config.federationPorts.includes(port)) {
    throw new PeerError("address", `port ${port} is not allowed for peers`);
  }
  return url;
}

interface Target {
  asked: HttpRequest;
  url: URL;
  timeoutMillis: number;
  answerBytes: number;
}

class StaleConnection extends PeerError {}

function sendOnce(agent: PeerAgent, { asked, url, timeoutMillis, answerBytes }: Target): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    agent.review(unbracketed(url.hostname));
    const sent = request({ ...optionsOf(url), agent, method: asked.method, headers: headersOf(asked) });
    const deadline = setTimeout(() => {
      sent.destroy(new PeerError("timeout", `${url.host} did not answer in time`));
    }, timeoutMillis);
    const settle =
      <T>(done: (value: T) => void) =>
      (value: T): void => {
        clearTimeout(deadline);
        done(value);
      };
    const fail = settle((error: Error) => {
      sent.destroy();
      reject(failureOf(error, sent, url));
    });
    // A request can fail more than once, even after its answer, and every error needs a listener.
    sent.on("error", fail);
    sent.once("socket", (socket) => agent.usedFor(socket, asked.peer));
    sent.once("response", (answer) => {
      // These certificates are gone as soon as the connection is closed.
      const certificates = asked.withCertificates === true ? shownCertificates(answer.socket as TLSSocket) : [];
      collect(answer, answerBytes).then(
        (collected) => settle(resolve)({ ...collected, certificates, repeated: false }),
        fail,
      );
    });
    sent.end(asked.body);
  });
}

function optionsOf(url: URL): RequestOptions {
  const path = `${url.pathname}${url.search}`;
  return { host: unbracketed(url.hostname), port: Number(url.port || httpsPort), path };
}

function headersOf({ headers, body }: HttpRequest): Record<string, string> {
  const sized = body === undefined ? {} : { "content-type": "application/json", "content-length": String(body.length) };
  return { accept: "application/json", ...sized, ...headers };
}

async function collect(answer: IncomingMessage, limit: number): Promise<Omit<HttpAnswer, "certificates" | "repeated">> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limit) {
      const status = answer.statusCode ?? 0;
      throw new PeerError("answer", `the answer is larger than ${limit} bytes`, { status });
    }
    chunks.push(chunk);
  }
  return { status: answer.statusCode ?? 0, headers: plainHeaders(answer), body: Buffer.concat(chunks) };
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function failureOf(error: Error, sent: ClientRequest, url: URL): Error {
  if (error instanceof PeerError) return error;
  const { code } = error as { code?: string };
  if (sent.reusedSocket && (code === "ECONNRESET" || code === "EPIPE")) {
    return new StaleConnection("connection", `the kept connection to ${url.host} was closed`);
  }
  return new PeerError("connection", `the connection to ${url.host} broke off`, { cause: error });
}
