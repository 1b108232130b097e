import { distributeTable, planDistribution, readUsualShards } from "../../src/database/citus/distribute.js";
import type { Database } from "../../src/database/db.js";
import { migrate } from "../../src/database/migrations/migrate.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { databaseUrl } from "./database-names.js";

interface WorkerNode {
  host: string;
  port: number;
}

/**
 * A Citus coordinator, given by the URL of a database in which its workers are registered. Each test database is
 * created on all of them, then migrated and, unless `local`, distributed; Citus cannot copy a template.
 */
export async function createCitusDatabase(
  coordinatorUrl: string,
  options: { name: string; empty: boolean; local?: boolean },
) {
  const { name, empty, local = false } = options;
  const nodes = await readWorkers(coordinatorUrl);
  const urls = [coordinatorUrl, ...nodes.map((node) => urlOf(coordinatorUrl, node))];
  for (const url of urls) await on(url, (db) => db.run(`create database ${name}`));
  const url = databaseUrl(coordinatorUrl, name);
  if (!empty) {
    for (const one of urls) await on(databaseUrl(one, name), (db) => db.run("create extension citus"));
    await on(url, (db) => prepareOver(db, { url, nodes }));
    if (!local) await on(url, distribute);
  }
  return {
    url,
    async drop() {
      for (const one of urls) await on(one, (db) => db.run(`drop database if exists ${name} with (force)`));
    },
  };
}

async function readWorkers(coordinatorUrl: string): Promise<WorkerNode[]> {
  const sql = `select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by nodeid`;
  return on(coordinatorUrl, (db) => db.rows<WorkerNode>(sql));
}

async function prepareOver(db: Database, { url, nodes }: { url: string; nodes: readonly WorkerNode[] }): Promise<void> {
  const { hostname, port } = new URL(url);
  await db.run("select citus_set_coordinator_host(:hostname::text, :port::int)", { hostname, port: Number(port) });
  for (const { host, port: workerPort } of nodes) {
    await db.run("select citus_add_node(:host::text, :workerPort::int)", { host, workerPort });
  }
  await migrate(db);
}

async function distribute(db: Database): Promise<void> {
  const shards = await readUsualShards(db);
  for (const step of await planDistribution(db)) await distributeTable(db, step, shards);
}

async function on<T>(url: string, work: (db: Database) => PromiseLike<T>): Promise<T> {
  const db = createDatabase({ url, poolSize: 1 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

function urlOf(coordinatorUrl: string, { host, port }: WorkerNode): string {
  const url = new URL(coordinatorUrl);
  url.hostname = host;
  url.port = String(port);
  return url.href;
}
