import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { constantsEnvironment, loadConfig } from "../../src/composition/config.js";
import { startEmbeddedPostgres } from "../../src/database/embedded/server.js";
import { createLogger } from "../../src/platform/logger.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { createLifecycle } from "../../src/process/lifecycle.js";
import { createRelay } from "../../src/relay.js";
import { type Served, startServed } from "../served.js";
import type { TestAuthority } from "../test-ca/authority.js";

/** A relay that runs as long as the demo. */
export interface OwnRelay {
  url: string;
  domain: string;
  databaseUrl: string;
  /** Stops it and removes all of its data. */
  stop(): Promise<void>;
}

/** A relay in a separate process that can be killed, with a database that survives that. */
export interface RelayProcess {
  readonly domain: string;
  readonly url: string;
  /** Starts it and waits until it serves. */
  start(): Promise<void>;
  /** Kills it at once. */
  kill(): Promise<void>;
  /** Runs a command of the command line for this relay and resolves with its output. */
  run(...args: string[]): Promise<string>;
  /** Stops it gracefully, and its database. */
  stop(): Promise<void>;
}

export const ownDomain = "relay.demo";
const logger = createLogger({ level: "error" });
/** Limits that let the demo run in seconds. The delay proofs are real, but short. */
const settings = {
  HOST: "127.0.0.1",
  PORT: "0",
  LOG_LEVEL: "error",
  FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "100",
  FIRST_ANNOUNCEMENTS_PER_IP_DAY: "100",
  CHALLENGES_PER_IP_HOUR: "100",
  SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "200000",
  SEED_PROGRESSIVE_TRUST_NEW_TIER_LIMIT: "1000",
};
const federationSettings = {
  FEDERATION_ALLOW_PRIVATE: "true",
  ...constantsEnvironment({
    federationAllowAnyPort: true,
    outboxMaxBackoffSeconds: 2,
    discoveryFailureCacheSeconds: 1,
  }),
};

/** The database server may run as another user, who needs access to its folder in the demo's. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-demo-"));
  await chmod(folder, 0o711);
  return folder;
}

/** Starts a relay on a free port and its own PostgreSQL, both in a temporary folder. */
export async function startOwnRelay(overrides: Readonly<Record<string, string>> = {}): Promise<OwnRelay> {
  const lifecycle = createLifecycle();
  try {
    const folder = await newFolder();
    lifecycle.atEnd(() => rm(folder, { recursive: true, force: true }));
    const postgres = await startEmbeddedPostgres({ dataDir: folder, logger });
    lifecycle.atEnd(() => postgres.stop());
    const own = { DOMAIN: ownDomain, BASE_URL: `http://${ownDomain}`, DATA_DIR: folder, DATABASE_URL: postgres.url };
    const relay = createRelay(loadConfig({ ...settings, ...own, ...overrides }), { logger });
    lifecycle.atEnd(() => relay.stop());
    const { port } = await relay.start();
    const url = `http://127.0.0.1:${port}`;
    return { url, domain: ownDomain, databaseUrl: postgres.url, stop: () => lifecycle.end() };
  } catch (problem) {
    await lifecycle.end();
    throw problem;
  }
}

/** Prepares a relay with a database, port and certificate in a new folder. Does not start it. */
export async function prepareRelay(
  folder: string,
  authority: TestAuthority,
  overrides: Readonly<Record<string, string>> = {},
): Promise<RelayProcess> {
  await mkdir(folder);
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, logger });
  const port = await findFreePort();
  const domain = `localhost:${port}`;
  const url = `https://${domain}`;
  const env = {
    ...{ PATH: process.env["PATH"] ?? "", ...settings, ...federationSettings },
    ...{ DATA_DIR: folder, DATABASE_URL: postgres.url, PORT: String(port), DOMAIN: domain, BASE_URL: url },
    ...(await writeCredentials(folder, authority)),
    ...overrides,
  };
  let served: Served | undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    await served?.stop(signal);
    served = undefined;
  };
  return {
    ...{ domain, url },
    async start() {
      served = await startServed([...commandLine, "serve"], { env });
    },
    kill: () => end("SIGKILL"),
    async run(...args) {
      const { stdout } = await promisify(execFile)(process.execPath, [...commandLine, ...args], { env });
      return stdout.trim();
    },
    async stop() {
      await end("SIGTERM");
      await postgres.stop();
    },
  };
}

async function writeCredentials(folder: string, authority: TestAuthority): Promise<Record<string, string>> {
  const { cert, key } = await authority.issue({ hosts: ["localhost"] });
  const files = { TLS_CERT_FILE: cert, TLS_KEY_FILE: key, FEDERATION_CA_FILE: authority.cert };
  const named = Object.entries(files).map(async ([variable, content]) => {
    const file = path.join(folder, `${variable.toLowerCase()}.pem`);
    await writeFile(file, content, { mode: 0o600 });
    return [variable, file];
  });
  return Object.fromEntries(await Promise.all(named));
}

/** The built command line of the relay; in tests, the one compiled from its sources. */
const isSource = import.meta.url.endsWith(".ts");
const commandLine = [fileURLToPath(new URL(`../../${isSource ? "dist/" : ""}src/cli/main.js`, import.meta.url))];
