import type { ServerConfig } from "../config/server.js";

/** The URL at which a relay with this configuration is reached from its own machine. */
export function localUrl({ host, tlsCertFile }: Pick<ServerConfig, "host" | "tlsCertFile">, port: number): string {
  const scheme = tlsCertFile === null ? "http" : "https";
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `${scheme}://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
