import { resolve } from "node:path";
import { interfaceVersion } from "../../generated/routes.js";
import type { Config } from "../platform/config/config.js";
import type { Logger } from "../platform/logger.js";
import { softwareVersion } from "../platform/software-version.js";

/** Writes a line for each fact of a start that an operator looks for when something is not as expected. */
export function logStart(logger: Logger, config: Config, listening: { url: string; metricsUrl: string | null }): void {
  logger.info(
    { software_version: softwareVersion, contract: interfaceVersion, node: process.versions.node },
    "version",
  );
  logger.info({ domain: config.domain, public: config.baseUrl, listens_at: listening.url }, "serving");
  logger.info({ database: databaseOf(config) }, "database");
  logger.info({ master: config.masterKey === null ? resolve(config.masterKeyFile) : "MASTER_KEY" }, "master key");
  logger.info({ certificate: config.tlsCertFile ?? "none", acme: config.acmeDirectory ?? "off" }, "TLS");
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
