import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { constantsEnvironment } from "../../platform/config/config.js";
import { startEmbeddedPostgres } from "../../platform/embedded-postgres/server.js";
import { createLifecycle } from "../../platform/lifecycle.js";
import { createLogger } from "../../platform/logger.js";
import { findFreePort } from "../../platform/net/free-port.js";
import type { Runtime } from "../../sdk/runtime.js";
import type { TestAuthority } from "../test-authority/authority.js";

/** A relay in a separate process that can be killed, with a database that survives that. */
export interface RelayProcess {
  readonly name: string;
  readonly domain: string;
  readonly url: string;
  readonly databaseUrl: string;
  /** Starts it and waits until it is ready. */
  start(): Promise<void>;
  /** Kills it at once. */
  kill(): Promise<void>;
  /** Runs a command of the command line for this relay and resolves with its output. */
  run(...args: string[]): Promise<string>;
  /** Stops it gracefully, and its database. */
  stop(): Promise<void>;
}

const host = "localhost";
const startTimeoutMillis = 60_000;
const pollMillis = 100;
const keptCharacters = 10_000;
/** Limits that let the demo run in seconds. The delay proofs are real, but short. */
const settings = {
  HOST: "127.0.0.1",
  LOG_LEVEL: "error",
  FEDERATION_ALLOW_PRIVATE: "true",
  FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "100",
  FIRST_ANNOUNCEMENTS_PER_IP_DAY: "100",
  CHALLENGES_PER_IP_HOUR: "100",
  ...constantsEnvironment({
    federationAllowAnyPort: true,
    outboxMaxBackoffSeconds: 2,
    discoveryFailureCacheSeconds: 1,
  }),
  SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "200000",
  SEED_PROGRESSIVE_TRUST_NEW_TIER_LIMIT: "1000",
};

/** Prepares a relay with its own folder, database, port and certificate. Does not start it. */
export async function prepareRelay(deps: {
  name: string;
  folder: string;
  authority: TestAuthority;
  fetch: Runtime["fetch"];
}): Promise<RelayProcess> {
  const { name, authority } = deps;
  const folder = path.join(deps.folder, name);
  await mkdir(folder);
  // The database server may run as another user, who needs access to its folder in this one.
  await chmod(folder, 0o711);
  const lifecycle = createLifecycle();
  const postgres = await startEmbeddedPostgres({ dataDir: folder, logger: createLogger({ level: "error" }) });
  lifecycle.atEnd(() => postgres.stop());
  const port = await findFreePort();
  const domain = `${host}:${port}`;
  const url = `https://${domain}`;
  const env = {
    PATH: process.env["PATH"] ?? "",
    ...settings,
    DATA_DIR: folder,
    DATABASE_URL: postgres.url,
    PORT: String(port),
    DOMAIN: domain,
    BASE_URL: url,
    ...(await writeCredentials(folder, authority)),
  };
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, "exit");
    ending.kill(signal);
    await ended;
  };
  lifecycle.atEnd(() => end("SIGTERM"));

  return {
    name,
    domain,
    url,
    databaseUrl: postgres.url,
    async start() {
      child = spawnTool(["serve"], env);
      await ready(child, () => deps.fetch(`${url}/readyz`, {}));
    },
    kill: () => end("SIGKILL"),
    run: (...args) => outputOf(spawnTool(args, env)),
    stop: () => lifecycle.end(),
  };
}

async function writeCredentials(folder: string, authority: TestAuthority): Promise<Record<string, string>> {
  const { cert, key } = await authority.issue({ hosts: [host] });
  const files = { TLS_CERT_FILE: cert, TLS_KEY_FILE: key, FEDERATION_CA_FILE: authority.cert };
  const named = Object.entries(files).map(async ([variable, content]) => {
    const file = path.join(folder, `${variable.toLowerCase()}.pem`);
    await writeFile(file, content, { mode: 0o600 });
    return [variable, file];
  });
  return Object.fromEntries(await Promise.all(named));
}

/** The command line of this package, from its sources or from the build. */
function spawnTool(args: readonly string[], env: Record<string, string>): ChildProcess {
  const extension = path.extname(fileURLToPath(import.meta.url));
  const program = fileURLToPath(new URL(`../../cli/main${extension}`, import.meta.url));
  const loader = extension === ".ts" ? ["--import", "tsx"] : [];
  return spawn(process.execPath, [...loader, program, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
}

async function ready(child: ChildProcess, ask: () => Promise<Response>): Promise<void> {
  const limit = AbortSignal.timeout(startTimeoutMillis);
  const errors = collect(child.stderr);
  child.stdout?.resume();
  while (!limit.aborted) {
    if (child.exitCode !== null) throw new Error(`the relay ended with ${child.exitCode}: ${errors.text}`);
    const status = await ask().then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await sleep(pollMillis);
  }
  throw new Error("the relay was not ready in time");
}

async function outputOf(child: ChildProcess): Promise<string> {
  const [output, errors] = [collect(child.stdout), collect(child.stderr)];
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`the command ended with ${code}: ${errors.text}`);
  return output.text.trim();
}

/** Collects the end of what a process writes. */
function collect(stream: Readable | null): { readonly text: string } {
  const kept = { text: "" };
  stream?.setEncoding("utf8").on("data", (text: string) => {
    kept.text = (kept.text + text).slice(-keptCharacters);
  });
  return kept;
}
