import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { createDatabase } from "../../src/platform/database/connection.js";
import { migrate } from "../../src/platform/database/migrate.js";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/platform/embedded-postgres/server.js";
import { createLogger } from "../../src/platform/logger.js";
import { databaseUrl, templateName, testFolderPrefix } from "./database-names.js";
import { transpile } from "./transpiled.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** The server of this run, by the URL of its maintenance database. */
    postgresUrl: string;
  }
}

// Nothing of a test run needs to survive a power cut.
const fastSettings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  shared_buffers: "128MB",
  max_connections: "400",
};

const packagesByVersion: Readonly<Record<string, string>> = {
  "14": "embedded-postgres-14",
  "18": "embedded-postgres",
};

/**
 * One PostgreSQL for the whole run, with a migrated template database: TEST_DATABASE_URL names a running server,
 * TEST_POSTGRES the version (14 or 18, the default) of the one that is started here, TEST_CITUS_URL a coordinator of Citus.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await transpile();
  const coordinator = process.env["TEST_CITUS_URL"];
  if (coordinator) {
    project.provide("postgresUrl", coordinator);
    return async () => undefined;
  }
  const given = process.env["TEST_DATABASE_URL"];
  if (given) {
    await makeTemplate(given);
    project.provide("postgresUrl", given);
    return async () => undefined;
  }
  await sweepLeftovers();
  const { server, folder } = await startServer();
  await makeTemplate(server.url);
  project.provide("postgresUrl", server.url);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

async function startServer(): Promise<{ server: EmbeddedPostgres; folder: string }> {
  const version = process.env["TEST_POSTGRES"] || "18";
  const serverPackage = packagesByVersion[version];
  if (!serverPackage) throw new Error(`TEST_POSTGRES is one of ${Object.keys(packagesByVersion).join(", ")}`);
  const folder = await mkdtemp(path.join(tmpdir(), `${testFolderPrefix}${process.pid}-`));
  await chmod(folder, 0o711);
  const logger = createLogger({ level: "error" });
  const server = await startEmbeddedPostgres({ dataDir: folder, logger, serverPackage, settings: fastSettings });
  return { server, folder };
}

async function makeTemplate(serverUrl: string): Promise<void> {
  const maintenance = createDatabase({ url: serverUrl, poolSize: 1 });
  await maintenance.raw(`drop database if exists ${templateName} with (force)`);
  await maintenance.raw(`create database ${templateName}`);
  await maintenance.destroy();
  const template = createDatabase({ url: databaseUrl(serverUrl, templateName), poolSize: 1 });
  await migrate(template);
  await template.destroy();
}

/** A run that was killed leaves its server behind; the next run removes it once the process of that run is gone. */
async function sweepLeftovers(): Promise<void> {
  const logger = createLogger({ level: "silent" });
  for (const name of await readdir(tmpdir())) {
    const pid = Number(new RegExp(`^${testFolderPrefix}(\\d+)-`).exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    const folder = path.join(tmpdir(), name);
    const sweep = await startEmbeddedPostgres({ dataDir: folder, logger }).catch(() => undefined);
    await sweep?.stop();
    // Another run may be clearing the same folder at this moment.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
