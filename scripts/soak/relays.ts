import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { constantsEnvironment, loadConfig } from "../../src/composition/config.js";
import { startEmbeddedPostgres } from "../../src/database/embedded/server.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createSystemClock } from "../../src/node/clock.js";
import { createLogger } from "../../src/platform/logger.js";
import { createLifecycle } from "../../src/process/lifecycle.js";
import type { Target } from "../../test/crash/sending.js";
import { type Balancer, startBalancer } from "../../test/node/balancer.js";
import { type RunningCommand, startCommand } from "../../test/support/command.js";
import { serverPid } from "../../test/support/embedded.js";
import { startTcpProxy } from "../../test/support/tcp-proxy.js";
import { type AuthorityFolder, openAuthorityFolder } from "../test-ca/folder.js";

/** A process that can be killed and is restarted. */
export interface Victim {
  name: string;
  /** Undefined while it is down. */
  pid(): number | undefined;
  /** Kills it at once; it is restarted without waiting. False if it is down. */
  kill(): Promise<boolean>;
}

/** A relay: its nodes, behind a load balancer, and behind TLS for the other relay. */
export interface SoakRelay {
  target: Target;
  databaseUrl: string;
  nodes: readonly Victim[];
}

/** Two relays that federate, on databases of one PostgreSQL. */
export interface Relays {
  /** Has two nodes. */
  first: SoakRelay;
  /** Has one. */
  second: SoakRelay;
  postgres: Victim;
  stop(): Promise<void>;
}

const restartPauseMillis = 200;

/** For relays whose limits nobody reaches, and that notice soon what is gone. */
export const constants = {
  keyPackageFetchesPerHour: 1_000_000,
  keyPackageFetchesPerTargetHour: 1_000_000,
  keyPackageUploadsPerHour: 1_000_000,
  federationAllowAnyPort: true,
  discoveryFailureCacheSeconds: 1,
  outboxMaxBackoffSeconds: 1,
  nodeDeadAfterSeconds: 3,
  expiryIntervalSeconds: 2,
};

export const environment = {
  HOST: "127.0.0.1",
  PORT: "0",
  LOG_LEVEL: "fatal",
  DATABASE_POOL_SIZE: "5",
  SHUTDOWN_GRACE_SECONDS: "2",
  FEDERATION_ALLOW_PRIVATE: "true",
  FEDERATION_MESSAGES_PER_MINUTE: "1000000",
  FEDERATION_TRANSACTIONS_PER_MINUTE: "1000000",
  FEDERATION_BYTES_PER_MINUTE: "1099511627776",
  FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000000",
  FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000000",
  // Limits are counted as usual, but nobody reaches them.
  SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
  SEED_PROGRESSIVE_TRUST_ENABLED: "false",
  SEED_PROGRESSIVE_TRUST_TRUSTED_TIER_LIMIT: "1000000",
  SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "1000000",
  ...constantsEnvironment(constants),
};

export async function startRelays(): Promise<Relays> {
  const lifecycle = createLifecycle();
  try {
    const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-soak-"));
    lifecycle.atEnd(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o711);
    const authority = await openAuthorityFolder(path.join(folder, "authority"), { now: new Date() });
    await authority.issue("localhost");
    const embedded = await startEmbeddedPostgres({ dataDir: folder, logger: createLogger({ level: "silent" }) });
    lifecycle.atEnd(() => embedded.stop());
    const atEnd = (end: () => Promise<void>) => lifecycle.atEnd(end);
    const start = async (name: string, nodeCount: number) =>
      startRelay({ name, nodeCount, databaseUrl: await createNamed(embedded.url, `relay_${name}`), authority, atEnd });
    const [first, second] = [await start("a", 2), await start("b", 1)];
    return { first, second, postgres: await postgresIn(folder), stop: () => lifecycle.end() };
  } catch (error) {
    await lifecycle.end();
    throw error;
  }
}

async function createNamed(serverUrl: string, name: string): Promise<string> {
  const db = createDatabase({ url: serverUrl, poolSize: 1, connectTimeoutSeconds: 60 });
  await db.run(`create database ${name}`).finally(() => db.close());
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function startRelay(deps: {
  name: string;
  nodeCount: number;
  databaseUrl: string;
  authority: AuthorityFolder;
  atEnd(end: () => Promise<void>): void;
}): Promise<SoakRelay> {
  const { name, nodeCount, databaseUrl, authority, atEnd } = deps;
  const { certFile, keyFile } = authority.filesOf("localhost");
  const balancer = await startBalancer([]);
  atEnd(() => balancer.stop());
  const [cert, key] = [await readFile(certFile, "utf8"), await readFile(keyFile, "utf8")];
  const proxy = await startTcpProxy(Number(new URL(balancer.url).port), { cert, key });
  atEnd(() => proxy.stop());
  const domain = `localhost:${proxy.port}`;
  const env = {
    ...environment,
    ...{ DATABASE_URL: databaseUrl, DOMAIN: domain, BASE_URL: `https://${domain}` },
    ...{ MASTER_KEY: randomBytes(32).toString("hex"), FEDERATION_CA_FILE: authority.caFile },
    ...{ FEDERATION_CERT_FILE: certFile, FEDERATION_KEY_FILE: keyFile },
  };
  const nodes: Victim[] = [];
  // One after the other, so that the last node never becomes the leader first.
  for (let number = 1; number <= nodeCount; number++) {
    nodes.push(await startNode(`${name}${number}`, { env, balancer, atEnd }));
  }
  const target: Target = { url: balancer.url, config: loadConfig(env), clock: createSystemClock() as Target["clock"] };
  return { target, databaseUrl, nodes };
}

/** Starts a node, and starts it again whenever it ends. */
export async function startNode(
  name: string,
  deps: { env: Record<string, string>; balancer: Balancer; atEnd(end: () => Promise<void>): void },
): Promise<Victim> {
  const { env, balancer } = deps;
  let up: RunningCommand | undefined;
  let isStopping = false;

  /** Whatever keeps it from starting, the next attempt may succeed: a database that is down comes back. */
  const start = async (): Promise<void> => {
    while (!isStopping) {
      const command = startCommand(["serve"], env);
      const match = await command.seen(/ at (http:\S+)/).catch(() => undefined);
      if (match === undefined || isStopping) {
        command.kill("SIGKILL");
        await command.ended;
        await sleep(restartPauseMillis);
        continue;
      }
      up = command;
      const port = Number(new URL(match[1] ?? "").port);
      balancer.ports.push(port);
      // One that ends without having been asked is started again too.
      void command.ended.then(() => {
        balancer.ports.splice(balancer.ports.indexOf(port), 1);
        up = undefined;
        running = start();
      });
      return;
    }
  };
  let running = start();
  await running;
  deps.atEnd(async () => {
    isStopping = true;
    up?.kill("SIGTERM");
    await up?.ended;
    await running;
  });
  return {
    name,
    pid: () => up?.pid,
    async kill() {
      const command = up;
      command?.kill("SIGKILL");
      await command?.ended;
      return command !== undefined;
    },
  };
}

/** The process that holds a share in the database, this one, restarts it. */
async function postgresIn(folder: string): Promise<Victim> {
  let pid = await serverPid(folder);
  return {
    name: "PostgreSQL",
    pid: () => pid,
    async kill() {
      if (pid === undefined) return false;
      const killed = pid;
      process.kill(killed, "SIGKILL");
      pid = undefined;
      void (async () => {
        let next: number | undefined;
        while (next === undefined || next === killed) {
          await sleep(restartPauseMillis);
          next = await serverPid(folder).catch(() => undefined);
        }
        pid = next;
      })();
      return true;
    },
  };
}
