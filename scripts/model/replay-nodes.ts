import { randomBytes } from "node:crypto";
import path from "node:path";
import { constantsEnvironment, loadConfig } from "../../src/composition/config.js";
import type { Database } from "../../src/database/db.js";
import { migrate } from "../../src/database/migrations/migrate.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createSystemClock } from "../../src/node/clock.js";
import { createLifecycle, type Lifecycle } from "../../src/process/lifecycle.js";
import { daySeconds } from "../../src/protocol/units.js";
import type { Target } from "../../test/crash/sending.js";
import { call } from "../../test/support/api.js";
import { type RunningCommand, runHere, startCommand } from "../../test/support/command.js";
import { newDevice } from "../../test/support/device.js";
import { ask, createFolder, serverPid, startEmbedded } from "../../test/support/embedded.js";
import type { TestRelay } from "../../test/support/relay.js";
import { startTcpProxy } from "../../test/support/tcp-proxy.js";
import { type AuthorityFolder, openAuthorityFolder } from "../test-ca/folder.js";
import { wait } from "./comparison.js";
import { createGates, type Gates, urlOfNode } from "./gates.js";
import { type PeerNetwork, startPeerNetwork } from "./peer-network.js";

/** A relay of two nodes, each a process, and a PostgreSQL of their own: all of them can be killed. Another relay is its peer. */
export interface ReplayNodes {
  target(node: string): Target;
  isUp(node: string): boolean;
  /** A node that runs. */
  anyNode(): string;
  /** Sends SIGKILL and waits until the process has ended. */
  kill(node: string): Promise<void>;
  /** Puts a new process in the place of one that was killed. */
  restart(node: string): Promise<void>;
  /** Sends SIGKILL to PostgreSQL and waits until it is back and every node uses it again. */
  killDatabase(): Promise<void>;
  /** Kills all nodes, restores the database by the function and `mls-relay after-restore`, and starts the nodes. */
  restore(load: () => Promise<void>): Promise<void>;
  /** Where a node's statements can be stopped. */
  gates: Gates;
  /** By which the gates know the node that runs in this place. */
  numberOf(node: string): number;
  db: Database;
  peer: ReplayPeer;
  kills: { nodes: number; database: number };
  stop(): Promise<void>;
}

/** The other relay, to which everything goes through the network of the replay. */
interface ReplayPeer {
  domain: string;
  target: Target;
  network: PeerNetwork;
  db: Database;
}

const names = ["a", "b"] as const;

/** Enough for all replays: nobody reaches a limit, and nothing happens by time alone. */
const environment = {
  HOST: "127.0.0.1",
  PORT: "0",
  LOG_LEVEL: "fatal",
  DATABASE_POOL_SIZE: "4",
  ...constantsEnvironment({
    expiryIntervalSeconds: 1,
    newTierSlotsPerHour: 1_000_000,
    newTierSlotBytesPerHour: 2 ** 30,
    federationAllowAnyPort: true,
    federationRequestTimeoutSeconds: 600,
    nodeDeadAfterSeconds: 600,
    outboxPollMillis: 50,
    settingsRefreshMillis: 50,
    outboxLingerMillis: 1,
    outboxTransactionsInFlight: 1,
    // A delay has a random length. If it ended while the node still had the lease, the node would send again at once.
    outboxMinBackoffSeconds: daySeconds,
    outboxMaxBackoffSeconds: 30 * daySeconds,
    outboxLeaseSeconds: daySeconds,
  }),
  FEDERATION_ALLOW_PRIVATE: "true",
  FEDERATION_MESSAGES_PER_MINUTE: "1000000",
  FEDERATION_TRANSACTIONS_PER_MINUTE: "1000000",
  SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
  SEED_RATE_LIMITING_ENABLED: "false",
  FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000000",
  FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000000",
};

/**
 * What PostgreSQL has written survives its SIGKILL without being synced, because the operating system lives on. Synced, every start
 * after a kill writes all files of the database first.
 */
const databaseSettings = { fsync: "off" };

interface Process {
  command: RunningCommand;
  number: number;
  target: Target;
}

export async function startReplayNodes(): Promise<ReplayNodes> {
  const lifecycle = createLifecycle();
  try {
    return await start(lifecycle);
  } catch (error) {
    await lifecycle.end();
    throw error;
  }
}

async function start(lifecycle: Lifecycle): Promise<ReplayNodes> {
  const place = await createFolder(0o711);
  lifecycle.atEnd(() => place.remove());
  const [postgres, authority] = await Promise.all([
    startEmbedded(place.folder, undefined, databaseSettings),
    openAuthorityFolder(path.join(place.folder, "authority"), { now: new Date() }),
  ]);
  lifecycle.atEnd(() => postgres.stop());
  await authority.issue("localhost");
  const peerUrl = otherDatabase(postgres.url, "peer");
  await ask(postgres.url, "create database peer");
  const [db, peerDb] = (await Promise.all([postgres.url, peerUrl].map((url) => openDatabase(lifecycle, url)))) as [
    Database,
    Database,
  ];
  const gates = await createGates(postgres.url);
  lifecycle.atEnd(() => gates.stop());
  const commands: RunningCommand[] = [];
  lifecycle.atEnd(async () => {
    for (const command of commands) command.kill("SIGKILL");
    for (const command of commands) await command.ended;
  });
  const certificate = await authority.authority.issue({ hosts: ["localhost"] });
  const entrance = await startTcpProxy(0, certificate);
  lifecycle.atEnd(() => entrance.stop());
  const own = membership(authority, entrance.port);
  const run = async (env: Record<string, string>, number: number): Promise<Process> => {
    const command = startCommand(["serve"], env);
    commands.push(command);
    const [, url = ""] = await command.seen(/ at (http:\S+)/);
    return { command, number, target: targetOf(url, env) };
  };
  let started = 0;
  const startProcess = (): Promise<Process> => {
    started += 1;
    return run({ ...own, DATABASE_URL: urlOfNode(postgres.url, started) }, started);
  };
  const startPeer = async (): Promise<ReplayPeer> => {
    const network = await startPeerNetwork(certificate);
    lifecycle.atEnd(() => network.stop());
    const env = { ...membership(authority, network.port), DATABASE_URL: peerUrl };
    const { target } = await run(env, 0);
    network.forwardTo(target.url);
    return { domain: env.DOMAIN, target, network, db: peerDb };
  };
  const up = new Map<string, Process>();
  // A process takes some time to start, so the next one to be needed is started in advance.
  let spare: Promise<Process>;
  const prepareSpare = () => {
    spare = startProcess();
    spare.catch(() => undefined);
  };
  const startAll = async (): Promise<void> => {
    prepareSpare();
    for (const [i, process] of (await Promise.all(names.map(startProcess))).entries()) up.set(names[i] ?? "", process);
    entrance.target.port = portOf((await spare).target);
  };
  const [peer] = await Promise.all([startPeer(), startAll()]);
  lifecycle.atEnd(() => spare.catch(() => undefined));
  const processOf = (node: string): Process => {
    const found = up.get(node);
    if (found === undefined) throw new Error(`node ${node} is down`);
    return found;
  };
  const probe = await newDevice(processOf("a").target as TestRelay);
  const kills = { nodes: 0, database: 0 };
  const kill = async (process: Process | undefined): Promise<void> => {
    process?.command.kill("SIGKILL");
    await process?.command.ended;
    kills.nodes += 1;
  };

  return {
    db,
    gates,
    peer,
    kills,
    target: (node) => processOf(node).target,
    numberOf: (node) => processOf(node).number,
    isUp: (node) => up.has(node),
    anyNode: () => (up.has("a") ? "a" : "b"),
    async kill(node) {
      const process = up.get(node);
      up.delete(node);
      await kill(process);
    },
    async restart(node) {
      up.set(node, await spare);
      prepareSpare();
      entrance.target.port = portOf(processOf(node).target);
    },
    async killDatabase() {
      // A process that is just starting would not survive it.
      await spare;
      const pid = await serverPid(place.folder);
      if (pid === undefined) throw new Error("PostgreSQL does not run");
      process.kill(pid, "SIGKILL");
      kills.database += 1;
      await wait("PostgreSQL to come back", async () => {
        const now = await serverPid(place.folder);
        return now !== undefined && now !== pid && (await db.rows("select 1").catch(() => [])).length > 0;
      });
      await gates.restore();
      const running = [...up.values(), await spare];
      await wait("the nodes to find PostgreSQL", async () => {
        const ready = running.map(({ target: { url } }) => call({ url }, "pollMessages", { token: probe.token }));
        return (await Promise.all(ready)).every(({ status }) => status === 200);
      });
    },
    async restore(load) {
      for (const process of [...up.values(), await spare]) await kill(process);
      up.clear();
      await load();
      // Until its time is over, a killed node counts as one that runs.
      await db.run("delete from nodes");
      const { code, stderr } = await runHere(["after-restore"], { ...own, DATABASE_URL: postgres.url });
      if (code !== 0) throw new Error(`mls-relay after-restore: ${stderr}`);
      await startAll();
      Object.assign(probe, await newDevice(processOf("a").target as TestRelay));
    },
    stop: () => lifecycle.end(),
  };
}

async function openDatabase(lifecycle: Lifecycle, url: string): Promise<Database> {
  const db = createDatabase({ url, poolSize: 3 });
  lifecycle.atEnd(() => db.close());
  await migrate(db);
  return db;
}

function otherDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

function membership(authority: AuthorityFolder, port: number) {
  const { certFile, keyFile } = authority.filesOf("localhost");
  return {
    ...environment,
    ...{
      MASTER_KEY: randomBytes(32).toString("hex"),
      DOMAIN: `localhost:${port}`,
      BASE_URL: `https://localhost:${port}`,
    },
    ...{ FEDERATION_CA_FILE: authority.caFile, FEDERATION_CERT_FILE: certFile, FEDERATION_KEY_FILE: keyFile },
  };
}

function targetOf(url: string, env: Record<string, string>): Target {
  return { url, config: loadConfig(env), clock: createSystemClock() as Target["clock"] };
}

function portOf({ url }: Target): number {
  return Number(new URL(url).port);
}
