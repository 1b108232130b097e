import type { Knex } from "knex";
import { distributeTable, planDistribution, readUsualShards } from "../../src/database/citus/distribute.js";
import { createDatabase, rows } from "../../src/database/connection.js";
import { migrate } from "../../src/database/migrate.js";
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
  for (const url of urls) await on(url, (db) => db.raw(`create database ${name}`));
  const url = databaseUrl(coordinatorUrl, name);
  if (!empty) {
    for (const one of urls) await on(databaseUrl(one, name), (db) => db.raw("create extension citus"));
    await on(url, (db) => prepareOver(db, nodes));
    if (!local) await on(url, distribute);
  }
  return {
    url,
    async drop() {
      for (const one of urls) await on(one, (db) => db.raw(`drop database if exists ${name} with (force)`));
    },
  };
}

async function readWorkers(coordinatorUrl: string): Promise<WorkerNode[]> {
  const sql = `select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by nodeid`;
  return on(coordinatorUrl, (db) => rows<WorkerNode>(db, sql));
}

async function prepareOver(db: Knex, nodes: readonly WorkerNode[]): Promise<void> {
  const { hostname, port } = new URL(db.client.config.connection.connectionString as string);
  await rows(db, "select citus_set_coordinator_host(:hostname::text, :port::int)", { hostname, port: Number(port) });
  for (const { host, port: workerPort } of nodes) {
    await rows(db, "select citus_add_node(:host::text, :workerPort::int)", { host, workerPort });
  }
  await migrate(db);
}

async function distribute(db: Knex): Promise<void> {
  const shards = await readUsualShards(db);
  for (const step of await planDistribution(db)) await distributeTable(db, step, shards);
}

async function on<T>(url: string, work: (db: Knex) => PromiseLike<T>): Promise<T> {
  const db = createDatabase({ url, poolSize: 1 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

function urlOf(coordinatorUrl: string, { host, port }: WorkerNode): string {
  const url = new URL(coordinatorUrl);
  url.hostname = host;
  url.port = String(port);
  return url.href;
}
