import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Knex } from "knex";
import { createDatabase, rows } from "../src/platform/database/connection.js";
import { startEmbeddedPostgres } from "../src/platform/embedded-postgres/server.js";
import { createLogger } from "../src/platform/logger.js";
import { download, upload as uploadPackage, variants } from "../test/infopackages/fixture.js";
import { demand, message, newDevice, type TestDevice } from "../test/support/device.js";
import { fetchPackage, newPackage, newPackages, upload } from "../test/support/key-packages.js";
import { newBlob, openAddress, putBlob } from "../test/support/provisioning.js";
import type { TestRelay } from "../test/support/relay.js";
import type { MoreStored, UpgradeFixture } from "../test/upgrade/fixture.js";
import { schemaText } from "./schema/text.js";
import { openAuthorityFolder } from "./test-ca/folder.js";

// Makes a fixture for test/upgrade: the database that a version of the relay leaves behind, as plain SQL, and the keys,
// tokens and messages of its clients. Run it once for each version whose schema or stored values have changed:
//
//   tsx scripts/make-upgrade-fixture.ts <name> [folder with that version's sources; without it, this one]

/** Tables that hold the state of running nodes, or only statistics. */
const leftOut = new Set([
  "nodes",
  "node_readings",
  "metric_rollups",
  "metric_histograms",
  "metric_snapshots",
  "alerts",
]);
const project = fileURLToPath(new URL("..", import.meta.url));
const domain = "relay.test";
const elsewhere = "elsewhere.example";

type Sources = {
  createRelay: (config: object, given: object) => { start(): Promise<{ port: number }>; stop(): Promise<void> };
  loadConfig: (environment: Record<string, string>) => object;
};

/** Runs that version's relay on a database. */
async function startVersion(folder: string, databaseUrl: string, masterKey: string) {
  const load = (file: string) => import(pathToFileURL(path.join(folder, file)).href) as Promise<Sources>;
  const { createRelay } = await load("src/relay.ts");
  const { loadConfig } = await load("src/platform/config/config.ts").catch(() => load("src/platform/config.ts"));
  const config = loadConfig({
    DOMAIN: domain,
    BASE_URL: `http://${domain}`,
    HOST: "127.0.0.1",
    PORT: "0",
    MASTER_KEY: masterKey,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: "silent",
    SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
    ...(await certificateIn(await mkdtemp(path.join(dataDir, "certificate-")))),
  });
  const relay = createRelay({ ...config, port: 0 }, { logger: createLogger({ level: "silent" }) });
  const { port } = await relay.start();
  const clock = { nowMillis: () => Date.now(), nowSeconds: () => Math.floor(Date.now() / 1000) };
  const target = { url: `http://127.0.0.1:${port}`, clock, config: { domain } };
  return { target: target as unknown as TestRelay, stop: () => relay.stop() };
}

/** A relay without a certificate accepts no message for another server. */
async function certificateIn(folder: string): Promise<Record<string, string>> {
  const authority = await openAuthorityFolder(folder, { now: new Date() });
  await authority.issue(domain);
  const { certFile, keyFile } = authority.filesOf(domain);
  return { FEDERATION_CERT_FILE: certFile, FEDERATION_KEY_FILE: keyFile };
}

/** Leaves data to migrate: queued and acknowledged messages, a used rate-limit window, key packages, a block, and more. */
async function useRelay(relay: TestRelay, db: Knex): Promise<Omit<UpgradeFixture, "masterKey">> {
  const [sender, recipient, blocked] = [await newDevice(relay), await newDevice(relay), await newDevice(relay)];
  const sent = Array.from({ length: 5 }, () => message(relay, recipient.address));
  for (const one of sent) demand(await post(relay, sender, one));
  demand(await recipient.poll());
  const acknowledged = sent.slice(0, 2).map((one) => one.message_id);
  demand(await recipient.ack(acknowledged));
  const keyPackages = newPackages(3);
  demand(await upload(relay, recipient, { packages: keyPackages }));
  const fetched = demand(await fetchPackage(relay, sender, recipient.deviceId)).body.key_package;
  const more = await storeMore(relay, { sender, recipient });
  await rows(db, "update devices set blocked_at = 1 where device_id = :deviceId", { deviceId: blocked.deviceId });
  const devices = { sender: known(sender), recipient: known(recipient), blocked: known(blocked) };
  return { now: relay.clock.nowSeconds(), devices, sent, acknowledged, keyPackages, fetched, more };
}

/** Messages for a server that does not exist, info packages of each kind, a blob of device linking, a last resort. */
async function storeMore(
  relay: TestRelay,
  { sender, recipient }: Record<"sender" | "recipient", TestDevice>,
): Promise<MoreStored> {
  const outgoing = Array.from({ length: 3 }, () => message(relay, `${randomUUID()}@${elsewhere}`));
  for (const one of outgoing) demand(await post(relay, recipient, one));
  const infoPackages = [];
  for (const variant of variants) {
    const { segment, ciphertext, revocationToken } = await uploadPackage(relay, sender, variant, { maxUses: 2 });
    demand(await download(relay, variant, segment));
    infoPackages.push({
      variant,
      segment,
      ...(ciphertext && { ciphertext }),
      ...(revocationToken && { revocationToken }),
    });
  }
  const { id, pollToken } = await openAddress(relay, 300);
  const blob = newBlob();
  demand(await putBlob(relay, sender.token, id, blob));
  const lastResort = newPackage();
  demand(await upload(relay, sender, { packages: [], lastResort }));
  return {
    outgoing: { domain: elsewhere, sent: outgoing },
    infoPackages,
    provisioning: { id, pollToken, blob },
    lastResort,
  };
}

function post(relay: TestRelay, device: TestDevice, body: object) {
  return fetch(`${relay.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${device.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  }).then(async (answer) => ({
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as object,
  }));
}

function known({ deviceId, publicKey, secretKey, address, token }: TestDevice) {
  return { deviceId, publicKey, secretKey: Buffer.from(secretKey).toString("hex"), address, token };
}

/** The database as statements that every supported version of PostgreSQL accepts. */
async function dump(db: Knex): Promise<string> {
  const tables = await rows<{ name: string; unlogged: boolean }>(
    db,
    `select relname as name, relpersistence = 'u' as unlogged from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`,
  );
  const inserts: string[] = [];
  for (const { name } of tables) if (!leftOut.has(name)) inserts.push(...(await insertsOf(db, name)));
  return [portable(await schemaText(db)), ...inserts, ""].join("\n");
}

async function insertsOf(db: Knex, table: string): Promise<string[]> {
  const columns = await rows<{ name: string }>(
    db,
    `select attname as name from pg_attribute
     where attrelid = :table::regclass and attnum > 0 and not attisdropped order by attnum`,
    { table },
  );
  const values = columns.map(({ name }) => `quote_nullable(${name}::text)`).join(", ");
  const found = await rows<{ line: string }>(db, `select concat_ws(', ', ${values}) as line from ${table} order by 1`);
  const names = columns.map(({ name }) => name).join(", ");
  return found.map(({ line }) => `insert into ${table} (${names}) values (${line});`);
}

/** PostgreSQL 14 sets the storage of a column only in a separate statement. */
function portable(schema: string): string {
  const [, ...statements] = schema.split("\n\n");
  return statements
    .map((statement) => {
      const table = /^create (?:unlogged )?table (\w+)/.exec(statement)?.[1];
      const moved = [...statement.matchAll(/^ {2}(\w+) \w+ storage (\w+)/gm)].map(
        ([, column, storage]) => `alter table ${table} alter column ${column} set storage ${storage};`,
      );
      return [statement.replaceAll(/ storage \w+/g, ""), ...moved].join("\n");
    })
    .join("\n\n");
}

const [name, folder = project] = process.argv.slice(2);
if (name === undefined) throw new Error("the first argument is the name of the fixture");
const dataDir = await mkdtemp(path.join(tmpdir(), "mls-relay-fixture-"));
const postgres = await startEmbeddedPostgres({
  dataDir: path.join(dataDir, "postgres"),
  logger: createLogger({ level: "error" }),
});
const db = createDatabase({ url: postgres.url, poolSize: 1 });
const masterKey = randomBytes(32).toString("hex");
try {
  const relay = await startVersion(path.resolve(folder), postgres.url, masterKey);
  const fixture = { ...(await useRelay(relay.target, db)), masterKey };
  await relay.stop();
  const file = (ending: string) => path.join(project, "test/upgrade", `${name}.${ending}`);
  await writeFile(file("sql"), await dump(db));
  await writeFile(file("json"), `${JSON.stringify(fixture, null, 2)}\n`);
} finally {
  await db.destroy();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
