import type { ClientRequest, IncomingMessage } from "node:http";
import { type RequestOptions, request } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { type PaceRules, watchPace } from "../../platform/net/pace.js";
import { bytesTaken } from "../../platform/net/socket-progress.js";
import type { Domain } from "../../protocol/address.js";
import { mebibyte } from "../../protocol/units.js";
import type { FederationSettings } from "../model/config.js";
import { PeerAgent, type PeerAgentDeps, shownCertificates, unbracketed } from "./connection.js";
import { checkedUrl, httpsPort, type PortLimits } from "./ports.js";
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
  /** Is told how many bytes of the request and its answer have moved. */
  progressed?: (bytes: number) => void;
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

/**
 * HTTPS requests to peers. Redirects are not followed, and sizes are limited. A request ends when nothing moves for some time
 * or too little moves, not when it takes long: a large delivery may be on a slow link.
 */
export type FederationHttp = ReturnType<typeof createFederationHttp>;

interface FederationHttpDeps extends PeerAgentDeps {
  config: PeerAgentDeps["config"] & PortLimits & FederationSettings;
}

/** Keeps a connection to each peer open between requests. */
export function createFederationHttp(deps: FederationHttpDeps) {
  const agent = new PeerAgent(deps);
  const { config } = deps;
  const attempt = (target: Target): Promise<HttpAnswer> => sendOnce(agent, target);

  return {
    /** Throws PeerError if there is no answer. */
    async send(asked: HttpRequest): Promise<HttpAnswer> {
      const url = checkedUrl(asked.url, config);
      const answerBytes = asked.answerBytes ?? config.federationResponseBytes;
      const target = { asked, url, answerBytes, config };
      try {
        return await attempt(target);
      } catch (error) {
        // The peer closed a kept connection just when it was used again, so one new connection is tried.
        if (error instanceof StaleConnection) return { ...(await attempt(target)), repeated: true };
        throw error;
      }
    },
    /** Closes all connections. */
    close: (): void => agent.destroy(),
  };
}

interface Target {
  asked: HttpRequest;
  url: URL;
  answerBytes: number;
  config: FederationHttpDeps["config"];
}

class StaleConnection extends PeerError {}

function sendOnce(agent: PeerAgent, { asked, url, answerBytes, config }: Target): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    agent.review(unbracketed(url.hostname));
    const sent = request({ ...optionsOf(url), agent, method: asked.method, headers: headersOf(asked) });
    const progress = createProgress(sent, asked);
    const rules = {
      // A request may wait for its connection.
      silenceSeconds: config.federationConnectTimeoutSeconds + config.federationRequestTimeoutSeconds,
      leastBytesPerSecond: config.federationLeastBytesPerSecond,
    };
    const stopWatching = watchPace(paceOf(asked.body?.length ?? 0, rules), progress.movedBytes, () =>
      sent.destroy(new PeerError("timeout", `${url.host} did not answer in time`)),
    );
    const settle =
      <T>(done: (value: T) => void) =>
      (value: T): void => {
        stopWatching();
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
      collect(answer, { limit: answerBytes, received: progress.received }).then(
        (collected) => settle(resolve)({ ...collected, certificates, repeated: false }),
        fail,
      );
    });
    sent.end(asked.body);
  });
}

/** Holds the largest send buffers that are usual. */
const bufferedBytes = 2 * mebibyte;

/** What the operating system has taken may still be on its way over a slow link, so a longer request has more time. */
export function paceOf(bodyBytes: number, { silenceSeconds, leastBytesPerSecond }: PaceRules): PaceRules {
  const buffered = Math.min(bodyBytes, bufferedBytes);
  return { silenceSeconds: silenceSeconds + buffered / leastBytesPerSecond, leastBytesPerSecond };
}

/** Counts the bytes of a request and its answer that have moved. */
function createProgress(sent: ClientRequest, { progressed }: HttpRequest) {
  let [socket, before, received, last]: [Socket | undefined, number, number, number] = [undefined, 0, 0, 0];
  sent.once("socket", (its) => {
    [socket, before] = [its, bytesTaken(its)];
  });
  return {
    received(bytes: number): void {
      received += bytes;
    },
    movedBytes(): number {
      const moved = received + (socket === undefined ? 0 : bytesTaken(socket) - before);
      if (moved > last) {
        last = moved;
        progressed?.(last);
      }
      return last;
    },
  };
}

function optionsOf(url: URL): RequestOptions {
  const path = `${url.pathname}${url.search}`;
  return { host: unbracketed(url.hostname), port: Number(url.port || httpsPort), path };
}

function headersOf({ headers, body }: HttpRequest): Record<string, string> {
  const sized = body === undefined ? {} : { "content-type": "application/json", "content-length": String(body.length) };
  return { accept: "application/json", ...sized, ...headers };
}

async function collect(
  answer: IncomingMessage,
  { limit, received }: { limit: number; received(bytes: number): void },
): Promise<Omit<HttpAnswer, "certificates" | "repeated">> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    received(chunk.length);
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
