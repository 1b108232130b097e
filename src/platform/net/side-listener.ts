import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Logger } from "../logger.js";
import { limitPerAddress } from "./connections-per-address.js";
import { boundPipelining, endAfterAnswers, pipeliningOptions } from "./pipelining.js";

/** A listener beside the relay's own, for short requests by plain HTTP. */
export type SideListener = ReturnType<typeof createSideListener>;

interface SideListenerBounds {
  maxConnections: number;
  maxConnectionsPerAddress: number;
  /** Time for a request to arrive, and for a connection without a request to stay open. */
  requestSeconds: number;
  /** A connection without any traffic is closed after this time, whatever it waits for. */
  stallSeconds: number;
}

const checkEveryMillis = 1_000;
const pipelining = { pipelinedRequestsPerConnection: 4, pipelinedRequestsPerNode: 50 };

export function createSideListener(deps: {
  at: { host: string; port: number };
  bounds: SideListenerBounds;
  answer: RequestListener;
  /** Its purpose, for the log. */
  purpose: string;
  logger: Logger;
}) {
  const { at, bounds, logger } = deps;
  const requestMillis = bounds.requestSeconds * 1000;
  const options = {
    ...pipeliningOptions,
    headersTimeout: requestMillis,
    requestTimeout: requestMillis,
    keepAliveTimeout: requestMillis,
    connectionsCheckingInterval: checkEveryMillis,
  };
  const server = createServer(options, deps.answer);
  server.maxConnections = bounds.maxConnections;
  server.timeout = bounds.stallSeconds * 1000;
  limitPerAddress(server, { limit: bounds.maxConnectionsPerAddress, siteFactor: 1 }, []);
  boundPipelining(server, pipelining);
  server.on("clientError", (_error, socket) => {
    if (!endAfterAnswers(socket as Socket)) socket.destroy();
  });
  server.on("error", (error) => {
    if (server.listening) logger.error({ err: error }, `the listener for ${deps.purpose} failed`);
  });
  return {
    start: (): Promise<void> =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(at, () => {
          server.off("error", reject);
          resolve();
        });
      }),
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    port: (): number => (server.address() as AddressInfo).port,
  };
}
