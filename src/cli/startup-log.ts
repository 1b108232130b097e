import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { contractVersion } from "../../generated/routes.js";
import type { Config } from "../composition/config.js";
import type { Logger } from "../platform/logger.js";
import { packageRoot } from "../platform/package-root.js";
import { softwareVersion } from "../platform/software-version.js";

/** Where a relay listens, and how many other nodes of its database it found. */
interface Listening {
  url: string;
  metricsUrl: string | null;
  otherNodes: number;
}

/** Logs the facts of a start that an operator looks for when something is not as expected, one line each. */
export function logStart(logger: Logger, config: Config, listening: Listening): void {
  logger.info({ software_version: softwareVersion, contract: contractVersion, node: process.versions.node }, "version");
  logger.info({ domain: config.domain, public: config.baseUrl, listens_at: listening.url }, "serving");
  logger.info({ database: databaseOf(config) }, "database");
  logger.info({ master: config.masterKey === null ? resolve(config.masterKeyFile) : "MASTER_KEY" }, "master key");
  logger.info({ certificate: config.tlsCertFile ?? "none", acme: config.acmeDirectory ?? "off" }, "TLS");
  logger.info({ others: listening.otherNodes }, "nodes");
  logger.info({ trusted: config.trustedProxies }, "proxies");
  logger.info({ listens_at: listening.metricsUrl ?? "off" }, "metrics");
  logger.info({ folder: config.backupDir ?? "off", every_seconds: config.backupEvery }, "backups");
}

/** Without account and password. */
function databaseOf({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === null) return `embedded, in ${resolve(dataDir, "postgres")}`;
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}

/** What `serve` prints for a person once it serves. A worker does not count its siblings. */
export function describeStart(config: Config, { url, otherNodes }: Listening, isWorker: boolean): string {
  return [
    `mls-relay serves ${config.domain} at ${url}`,
    `  console        ${url}/console/`,
    `  sign in        \`${launcher()} console\` prints a link`,
    `  documentation  ${url}/docs`,
    `  contract       ${contractVersion}: ${url}/openapi.json, ${url}/asyncapi.json`,
    `  database       ${databaseOf(config)}`,
    `  master key     ${config.masterKey === null ? resolve(config.masterKeyFile) : "from MASTER_KEY"}`,
    ...(isWorker || otherNodes === 0 ? [] : [`  nodes          ${describeOthers(otherNodes)}`]),
  ].join("\n");
}

function describeOthers(others: number): string {
  const running = others === 1 ? "another node" : `${others} other nodes`;
  return `this is one more node: ${running} of this database ran a moment ago (docs/how-to/nodes.md)`;
}

/** The command line that works in this folder: a clone has no `mls-relay` on the PATH. */
function launcher(): string {
  const isClone = existsSync(new URL("src/", packageRoot()));
  if (!isClone) return "mls-relay";
  const script = fileURLToPath(new URL("scripts/mls-relay", packageRoot()));
  const near = relative(process.cwd(), script);
  return near.startsWith("..") ? script : near;
}
