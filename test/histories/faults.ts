import { appendFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { askOnce } from "../../scripts/soak/ask-once.js";
import type { Machine } from "../deploy/database-pair.js";
import { serverPid } from "../support/embedded.js";
import type { TcpProxy } from "../support/tcp-proxy.js";
import { until } from "../support/until.js";
import { withinPatience } from "./answers.js";
import { type Cluster, type ClusterNode, emptyDisk, fillerOf } from "./cluster.js";
import { processesUnder, signalAll } from "./processes.js";
import type { FaultName, Link, Step } from "./schedule.js";

type Inflict = (cluster: Cluster, step: Step) => Promise<void>;

const slowMillis = 150;
/** PostgreSQL has some room left in files that it has made before. */
const untilFullMillis = 2_500;
const fillerBytes = 16 * 1024 * 1024;
/** What src/node/leadership.ts locks. */
const leaderLock = 7_350_203;

const inflict: Record<FaultName, Inflict> = {
  "kill a node": async (cluster, { target }) => void (await nodeOf(cluster, target).kill()),
  "pause a node": (cluster, { target, millis }) => pauseNode(nodeOf(cluster, target), millis),
  "kill the leader": async (cluster) => void (await (await leaderOf(cluster)).kill()),
  "pause the leader": async (cluster, { millis }) => pauseNode(await leaderOf(cluster), millis),
  async "move the clock of a node"(cluster, { target, millis, seconds }) {
    const node = nodeOf(cluster, target);
    await setClock(node, seconds);
    await sleep(millis);
    await setClock(node, 0);
  },
  async "kill PostgreSQL"({ pair, primary }) {
    await pair.kill(primary);
    await pair.start(primary);
    await standbyHasAll(pair, primary);
  },
  "pause PostgreSQL": ({ pair, primary }, { millis }) => pauseServer(pair, primary, millis),
  async "pause the standby"({ pair, primary }, { millis }) {
    await pauseServer(pair, otherThan(primary), millis);
    await standbyHasAll(pair, primary);
  },
  "lose the primary": failOver,
  "kill the other PostgreSQL": async ({ embedded }) => {
    const pid = await serverPid(embedded);
    if (pid !== undefined) signalAll([pid], "SIGKILL");
    await isUp(embedded, pid);
  },
  async "pause the other PostgreSQL"({ embedded }, { millis }) {
    const pids = await processesUnder(await serverPid(embedded));
    signalAll(pids, "SIGSTOP");
    await sleep(millis);
    signalAll(pids, "SIGCONT");
  },
  async "fill the disk"(cluster, { millis }) {
    if (!cluster.isSmallDisk) return;
    const filler = fillerOf(cluster.embedded);
    const until = performance.now() + untilFullMillis + millis;
    // Again and again: a file that PostgreSQL has just removed leaves room.
    do {
      await appendFile(filler, Buffer.alloc(fillerBytes)).catch(() => sleep(20));
    } while (performance.now() < until || (await hasRoom(filler)));
    await emptyDisk(cluster);
    await isUp(cluster.embedded, undefined);
  },
  async "move the clock of the database"(cluster, { millis, seconds }) {
    const move = (by: number) => askOnce(cluster.databaseUrl("b"), `update clocks.shift set seconds = ${by}`);
    await move(seconds).catch(() => undefined);
    await sleep(millis);
    await untilDone(() => move(0));
  },
  async cut(cluster, { target }) {
    linkOf(cluster, target).cut();
  },
  refuse: (cluster, step) => disturb(cluster, step, { open: false }, (link) => link.cut()),
  "slow down": (cluster, step) => disturb(cluster, step, { delayMillis: slowMillis }),
  "hold what is asked": (cluster, step) => disturb(cluster, step, { requests: "hold" }),
  "hold what is answered": (cluster, step) => disturb(cluster, step, { answers: "hold" }),
  async "lose what is answered"(cluster, step) {
    const link = linkOf(cluster, step.target);
    link.answers = "hold";
    await sleep(step.millis);
    link.cut();
    link.answers = "pass";
  },
  async "restart everything"(cluster) {
    const { pair, primary, nodes, embedded } = cluster;
    const pid = await serverPid(embedded);
    await Promise.all([
      ...nodes.map((node) => node.kill()),
      pair.kill(primary),
      pair.kill(otherThan(primary)),
      pid === undefined ? undefined : signalAll([pid], "SIGKILL"),
    ]);
    await pair.start(primary);
    await pair.start(otherThan(primary));
    await standbyHasAll(pair, primary);
    await isUp(embedded, pid);
  },
};

/** Takes a step: disturbs something, and puts it in order when its time is over. */
export function takeStep(cluster: Cluster, step: Step): Promise<void> {
  return inflict[step.fault](cluster, step);
}

/** The standby becomes the primary, as docs/how-to/failover.md says, and the old primary its standby. */
async function failOver(cluster: Cluster): Promise<void> {
  const { pair, primary: lost, nodes } = cluster;
  const swapped = lost === "db2";
  await pair.kill(lost);
  await pair.follow("# db2\npg_ctl promote", { swapped });
  cluster.primary = otherThan(lost);
  for (const { name, database } of nodes) {
    if (!name.startsWith("a")) continue;
    database.target.port = pair.ports[cluster.primary];
    database.cut();
  }
  await pair.follow("# db1\nrm", { swapped });
  await pair.follow("# db2\npsql", { swapped });
  await standbyHasAll(pair, cluster.primary);
}

function otherThan(machine: Machine): Machine {
  return machine === "db1" ? "db2" : "db1";
}

/** Until then the primary must not be lost: what a crash has interrupted is on the primary alone (decision 0133). */
async function standbyHasAll(pair: Cluster["pair"], primary: Machine): Promise<void> {
  const written = await pair.ask(primary, "select pg_current_wal_flush_lsn()");
  const sql = `select count(*) from pg_stat_replication where sync_state = 'sync' and flush_lsn >= '${written.trim()}'`;
  await until(async () => Number(await pair.ask(primary, sql)) === 1, "the standby has everything");
}

async function pauseServer(pair: Cluster["pair"], machine: Machine, millis: number): Promise<void> {
  const goOn = await pair.pause(machine);
  await sleep(millis);
  goOn();
}

async function pauseNode({ pid }: ClusterNode, millis: number): Promise<void> {
  const paused = pid();
  if (paused === undefined) return;
  signalAll([paused], "SIGSTOP");
  await sleep(millis);
  signalAll([paused], "SIGCONT");
}

async function setClock({ clockFile, pid }: ClusterNode, seconds: number): Promise<void> {
  await writeFile(clockFile, String(seconds));
  const running = pid();
  if (running !== undefined) signalAll([running], "SIGUSR2");
}

/** The node whose connection to the database holds the lock of the leader, or the first one if nobody can tell. */
async function leaderOf({ nodes, pair, primary }: Cluster): Promise<ClusterNode> {
  const sql = `select client_port from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and objid = ${leaderLock} and mode = 'ExclusiveLock' limit 1`;
  const port = Number(await withinPatience(pair.ask(primary, sql.replaceAll("\n", " "))));
  return (nodes.find(({ database }) => database.sources().includes(port)) ?? nodes[0]) as ClusterNode;
}

function nodeOf({ nodes }: Cluster, name: string): ClusterNode {
  return nodes.find((node) => node.name === name) as ClusterNode;
}

function linkOf({ links }: Cluster, name: string): TcpProxy {
  return links[name as Link];
}

type Disturbance = Partial<Pick<TcpProxy, "open" | "delayMillis" | "requests" | "answers">>;

async function disturb(
  cluster: Cluster,
  { target, millis }: Step,
  disturbance: Disturbance,
  first: (link: TcpProxy) => void = () => {},
): Promise<void> {
  const link = linkOf(cluster, target);
  Object.assign(link, disturbance);
  first(link);
  await sleep(millis);
  Object.assign(link, { open: true, delayMillis: 0, requests: "pass", answers: "pass" });
}

async function hasRoom(filler: string): Promise<boolean> {
  return appendFile(filler, Buffer.alloc(8_192)).then(
    () => true,
    () => false,
  );
}

/** Waits until the server that this process holds a share in runs again, as another process than before. */
async function isUp(embedded: string, before: number | undefined): Promise<void> {
  await until(async () => {
    const pid = await serverPid(embedded);
    return pid !== undefined && pid !== before;
  }, "the second relay's PostgreSQL is up");
}

/** Repeats what a database that comes back may refuse. */
async function untilDone(act: () => Promise<unknown>): Promise<void> {
  await until(
    () =>
      act().then(
        () => true,
        () => false,
      ),
    "the database takes a statement",
  );
}
