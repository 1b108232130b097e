import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerConfig } from "../platform/config/server.js";
import type { Logger } from "../platform/logger.js";
import { createSideListener } from "../platform/net/side-listener.js";

/** A separate listener for Prometheus: it serves only GET /metrics and requires no token. */
export type MetricsListener = ReturnType<typeof createMetricsListener>;

const path = "/metrics";
const contentType = "text/plain; version=0.0.4; charset=utf-8";
const maxConnections = 50;
const maxConnectionsPerAddress = 25;

export function createMetricsListener(deps: {
  host: string;
  port: number;
  logger: Logger;
  /** The text of the answer. */
  read: () => Promise<string>;
  config: Pick<ServerConfig, "headersTimeoutSeconds" | "answerStallSeconds">;
}) {
  const { host, port, logger, read, config } = deps;
  const listener = createSideListener({
    at: { host, port },
    bounds: {
      maxConnections,
      maxConnectionsPerAddress,
      requestSeconds: config.headersTimeoutSeconds,
      stallSeconds: config.answerStallSeconds,
    },
    answer(request, response) {
      answer(request, response, read).catch((error: unknown) => {
        logger.warn({ err: error }, "metrics could not be read");
        response.writeHead(503).end();
      });
    },
    purpose: "metrics",
    logger,
  });
  const { start, stop } = listener;
  return {
    ...{ start, stop },
    /** The address where it listens, once it does. */
    url: (): string => `http://${host.includes(":") ? `[${host}]` : host}:${listener.port()}${path}`,
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, read: () => Promise<string>): Promise<void> {
  request.resume();
  if (request.url?.split("?", 1)[0] !== path) return void response.writeHead(404).end();
  if (request.method !== "GET") return void response.writeHead(405, { Allow: "GET" }).end();
  const text = await read();
  response.writeHead(200, { "Content-Type": contentType, "Cache-Control": "no-store" }).end(text);
}
