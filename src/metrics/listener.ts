import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../platform/config/config.js";
import type { Logger } from "../platform/logger.js";

/** A listener of its own for Prometheus: it knows GET /metrics and nothing else, and asks for no token. */
export interface MetricsListener {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Where it listens, once it does. */
  url(): string;
}

const path = "/metrics";
const contentType = "text/plain; version=0.0.4; charset=utf-8";
const mostConnections = 50;
const checkEveryMillis = 1_000;

export function createMetricsListener(deps: {
  host: string;
  port: number;
  logger: Logger;
  /** The text to answer with. */
  read: () => Promise<string>;
  config: Pick<Config, "headersTimeoutSeconds" | "answerStallSeconds">;
}): MetricsListener {
  const { host, port, logger, read, config } = deps;
  const timeout = config.headersTimeoutSeconds * 1000;
  const timeouts = {
    headersTimeout: timeout,
    requestTimeout: timeout,
    keepAliveTimeout: timeout,
    connectionsCheckingInterval: checkEveryMillis,
  };
  const server = createServer(timeouts, (request, response) => {
    answer(request, response, read).catch((error: unknown) => {
      logger.warn({ err: error }, "metrics could not be read");
      response.writeHead(503).end();
    });
  });
  server.maxConnections = mostConnections;
  // Ends connections on which nothing moves, whatever they wait for.
  server.timeout = config.answerStallSeconds * 1000;
  server.on("error", (error) => {
    if (server.listening) logger.error({ err: error }, "the listener for metrics failed");
  });
  return {
    start: () =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen({ host, port }, () => {
          server.off("error", reject);
          resolve();
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    url: () => `http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}${path}`,
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, read: () => Promise<string>): Promise<void> {
  request.resume();
  if (request.url?.split("?", 1)[0] !== path) return void response.writeHead(404).end();
  if (request.method !== "GET") return void response.writeHead(405, { Allow: "GET" }).end();
  const text = await read();
  response.writeHead(200, { "Content-Type": contentType, "Cache-Control": "no-store" }).end(text);
}
