import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { constants, environment, startNode, type Victim } from "../../scripts/soak/relays.js";
import { type AuthorityFolder, openAuthorityFolder } from "../../scripts/test-ca/folder.js";
import { constantsEnvironment, loadConfig } from "../../src/composition/config.js";
import { startEmbeddedPostgres } from "../../src/database/embedded/server.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createSystemClock } from "../../src/node/clock.js";
import { createLogger } from "../../src/platform/logger.js";
import { createLifecycle } from "../../src/process/lifecycle.js";
import { gibibyte } from "../../src/protocol/units.js";
import type { Target } from "../crash/sending.js";
import { type DatabasePair, type Machine, openDatabasePair } from "../deploy/database-pair.js";
import { startBalancer } from "../node/balancer.js";
import type { TestDatabase } from "../support/database.js";
import { createFolder } from "../support/embedded.js";
import { shiftClock } from "../support/shifted-clock.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import type { Link } from "./schedule.js";

/** A node, its way to the database, and the file that says by how many seconds its machine's clock is wrong. */
export interface ClusterNode extends Victim {
  database: TcpProxy;
  clockFile: string;
}

export type RelayName = "a" | "b";

/** Two relays that federate, with everything that a nemesis can get at. */
export interface Cluster {
  /** The relays as clients reach them. */
  relays: Record<RelayName, Target>;
  nodes: readonly ClusterNode[];
  links: Record<Link, TcpProxy>;
  /** The first relay's database with its synchronous standby, which may change places. */
  pair: DatabasePair;
  primary: Machine;
  /** The folder with the second relay's database. */
  embedded: string;
  /** Whether that folder, which has the relay's blobs as well, is a small disk. Only root can make one. */
  isSmallDisk: boolean;
  /** Where the relay's database is now, past all proxies. */
  databaseUrl(relay: RelayName): string;
  stop(): Promise<void>;
}

const diskBytes = 320 * 1024 * 1024;
const smallSettings = { shared_buffers: "16MB", max_wal_size: "64MB", min_wal_size: "32MB" };

/** A machine whose clock is wrong by what the file says, now and when it is told that the file has changed. */
const wrongClock = `
  import { readFileSync } from "node:fs";
  const now = Date.now;
  let ahead = 0;
  const read = () => { ahead = 1000 * Number(readFileSync(process.env.CLOCK_FILE, "utf8")); };
  process.on("SIGUSR2", read);
  read();
  Date.now = () => now() + ahead;`;

interface Building {
  authority: AuthorityFolder;
  folder: string;
  atEnd(end: () => Promise<unknown>): void;
}

export async function startCluster(): Promise<Cluster> {
  const lifecycle = createLifecycle();
  try {
    return await build(lifecycle);
  } catch (error) {
    await lifecycle.end();
    throw error;
  }
}

async function build(lifecycle: ReturnType<typeof createLifecycle>): Promise<Cluster> {
  const place = await createFolder(0o711);
  lifecycle.atEnd(() => place.remove());
  const authority = await openAuthorityFolder(path.join(place.folder, "authority"), { now: new Date() });
  await authority.issue("localhost");
  const atEnd = (end: () => Promise<unknown>) => lifecycle.atEnd(async () => void (await end()));
  const building: Building = { authority, folder: place.folder, atEnd };
  const pair = await startPair(building);
  const { url: embeddedUrl, folder: embedded, isSmallDisk } = await startSmall(building);
  const a = await startRelay(building, {
    name: "a",
    nodes: ["a1", "a2"],
    blobs: path.join(place.folder, "blobs"),
    databaseUrl: portOf(pair.url, pair.ports.db1),
  });
  const b = await startRelay(building, {
    name: "b",
    nodes: ["b1"],
    blobs: path.join(embedded, "blobs"),
    databaseUrl: embeddedUrl,
  });
  const nodes = [...a.nodes, ...b.nodes];
  const [a1, a2, b1] = nodes as [ClusterNode, ClusterNode, ClusterNode];
  const cluster: Cluster = {
    relays: { a: a.target, b: b.target },
    nodes,
    links: {
      "clients to a": a.clients,
      "clients to b": b.clients,
      "a1 to its database": a1.database,
      "a2 to its database": a2.database,
      "b1 to its database": b1.database,
      "b to a": a.peers,
      "a to b": b.peers,
    },
    pair,
    primary: "db1",
    embedded,
    isSmallDisk,
    databaseUrl: (relay) => (relay === "a" ? portOf(pair.url, pair.ports[cluster.primary]) : embeddedUrl),
    stop: () => lifecycle.end(),
  };
  return cluster;
}

async function startPair({ atEnd }: Building): Promise<DatabasePair> {
  const pair = await openDatabasePair();
  atEnd(() => pair.stop());
  await pair.follow("# db1\ninitdb");
  await pair.follow("# db2\npg_basebackup");
  await pair.follow("# db1\npsql");
  return pair;
}

/** A PostgreSQL on a small disk, which is a file system in memory. */
async function startSmall({ atEnd }: Building) {
  const { folder, remove } = await createFolder(0o711);
  const mount = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${diskBytes},mode=711`, "tmpfs", folder]);
  const isSmallDisk = mount.status === 0;
  atEnd(async () => {
    if (isSmallDisk) spawnSync("umount", ["-l", folder]);
    await remove();
  });
  const logger = createLogger({ level: "silent" });
  const postgres = await startEmbeddedPostgres({ dataDir: folder, logger, settings: smallSettings });
  atEnd(() => postgres.stop());
  const db = createDatabase({ url: postgres.url, poolSize: 1 });
  await shiftClock({ db, url: postgres.url } as TestDatabase).finally(() => db.close());
  return { url: postgres.url, folder, isSmallDisk };
}

interface RelaySetUp {
  name: RelayName;
  nodes: readonly string[];
  /** The folder for blobs, which the nodes share. */
  blobs: string;
  databaseUrl: string;
}

async function startRelay(
  { authority, folder, atEnd }: Building,
  { name, nodes: names, blobs, databaseUrl }: RelaySetUp,
) {
  const { certFile, keyFile } = authority.filesOf("localhost");
  const [cert, key] = [await readFile(certFile, "utf8"), await readFile(keyFile, "utf8")];
  const balancer = await startBalancer([]);
  const port = Number(new URL(balancer.url).port);
  const [clients, peers] = [await startTcpProxy(port), await startTcpProxy(port, { cert, key })];
  for (const part of [balancer, clients, peers]) atEnd(() => part.stop());
  const domain = `localhost:${peers.port}`;
  const shared = {
    ...environment,
    ...{ DOMAIN: domain, BASE_URL: `https://${domain}`, MASTER_KEY: randomBytes(32).toString("hex") },
    ...{ FEDERATION_CA_FILE: authority.caFile, FEDERATION_CERT_FILE: certFile, FEDERATION_KEY_FILE: keyFile },
    ...{ BLOB_DIR: blobs, BLOB_DISK_RESERVE_BYTES: "0", BLOB_BYTES_PER_DAY: String(gibibyte * 100) },
    NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(wrongClock)}"`,
    ...constantsEnvironment({
      ...constants,
      replacementsPerMinute: 10_000,
      blobsPerHour: 100_000,
      newTierBlobsPerHour: 100_000,
      newTierBlobBytesPerDay: gibibyte,
      newTierBlobStorageShare: 1,
      federationRequestTimeoutSeconds: 10,
      databaseStatementTimeoutSeconds: 5,
    }),
  };
  const nodes: ClusterNode[] = [];
  for (const node of names) {
    const database = await startTcpProxy(Number(new URL(databaseUrl).port));
    atEnd(() => database.stop());
    const clockFile = path.join(folder, `clock-${node}`);
    await writeFile(clockFile, "0");
    const env = { ...shared, DATABASE_URL: portOf(databaseUrl, database.port), CLOCK_FILE: clockFile };
    const victim = await startNode(node, { env, balancer, atEnd: (end) => atEnd(end) });
    nodes.push(Object.assign(victim, { database, clockFile }));
  }
  const config = loadConfig({ ...shared, DATABASE_URL: databaseUrl });
  const clock = createSystemClock() as Target["clock"];
  const target: Target = { url: `http://127.0.0.1:${clients.port}`, config, clock };
  return { name, target, nodes, clients, peers };
}

function portOf(url: string, port: number): string {
  const other = new URL(url);
  other.host = `127.0.0.1:${port}`;
  return other.href;
}

/** Removes what fills the small disk. */
export async function emptyDisk({ embedded }: Cluster): Promise<void> {
  await rm(fillerOf(embedded), { force: true });
}

export function fillerOf(embedded: string): string {
  return path.join(embedded, "filler");
}
