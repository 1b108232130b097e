import { createServer } from "node:net";
import type { ServerConfig } from "../config/server.js";

/**
 * Throws if the relay cannot listen on a configured port, and names the port's variable. Called first, so that such a
 * start fails before it creates or changes a database.
 */
export async function refuseTakenPorts(config: ServerConfig): Promise<void> {
  for (const { port, host } of addressesOf(config)) {
    await listenOnce(host.value, port.value).catch((cause: NodeJS.ErrnoException) => {
      const { variable, value } = problemsOfPorts.has(cause.code) ? port : host;
      throw new Error(`${variable}=${value} cannot be used`, { cause });
    });
  }
}

const problemsOfPorts: ReadonlySet<string | undefined> = new Set(["EADDRINUSE", "EACCES"]);

interface Address {
  port: { variable: string; value: number };
  host: { variable: string; value: string };
}

function addressesOf(config: ServerConfig): Address[] {
  const host = { variable: "HOST", value: config.host };
  const metricsHost = { variable: "METRICS_HOST", value: config.metricsHost };
  const { port, metricsPort, acmeDirectory, acmeHttpPort } = config;
  return [
    { port: { variable: "PORT", value: port }, host },
    ...(metricsPort === null ? [] : [{ port: { variable: "METRICS_PORT", value: metricsPort }, host: metricsHost }]),
    ...(acmeDirectory === null ? [] : [{ port: { variable: "ACME_HTTP_PORT", value: acmeHttpPort }, host }]),
  ];
}

function listenOnce(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    // Stays attached for the server's whole life: an error may come even after it is closed.
    server.on("error", reject);
    server.listen({ host, port }, () => server.close(() => resolve()));
  });
}
