import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Manifest } from "../../scripts/frozen/manifest.js";
import type { Facts } from "../../scripts/upgrade/facts.js";
import { deviceKeysOf } from "../../src/client/crypto/keys.js";
import type { DeviceClient } from "../../src/client/device/client.js";
import { migrations } from "../../src/database/migrations/list.js";
import { migrate } from "../../src/database/migrations/migrate.js";
import { createSystemClock } from "../../src/node/clock.js";
import { listen, newClient, sendText } from "../client/harness.js";
import { type Balancer, startBalancer } from "../node/balancer.js";
import { type RunningCommand, runHere, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import type { TestRelay } from "../support/relay.js";
import { type EarlierProgram, unpackProgram } from "./earlier-program.js";
import { backupOf, factsOf, loadDatabase, moveOn } from "./stored.js";

const version = "0.1.0";

let facts: Facts;
beforeAll(async () => {
  facts = await factsOf(version);
});

const environmentOf = ({ url }: TestDatabase): Record<string, string> => ({
  ...{ HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "fatal", DATABASE_POOL_SIZE: "5", SHUTDOWN_GRACE_SECONDS: "2" },
  ...{ DATABASE_URL: url, MASTER_KEY: facts.masterKey, DOMAIN: facts.domain, BASE_URL: `http://${facts.domain}` },
  ...{ FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000", FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000" },
});

interface Node {
  command: RunningCommand;
  port: number;
}

/** Starts a node of this version, or of the given program. */
async function startNode(env: Record<string, string>, program?: string): Promise<Node> {
  const command = startCommand(["serve"], env, program);
  const [, url = ""] = await command.seen(/ at (http:\S+)/);
  return { command, port: Number(new URL(url).port) };
}

async function stopNode({ command }: Node): Promise<void> {
  command.kill("SIGTERM");
  await command.ended;
}

/** A relay for clients that knows only where it is. */
function targetAt(url: string): TestRelay {
  return { url, config: { domain: facts.domain }, clock: createSystemClock() } as unknown as TestRelay;
}

/** The device of the stored database that has messages in its queue. */
function recipientAt(url: string): Promise<DeviceClient> {
  const keys = deviceKeysOf(new Uint8Array(Buffer.from(facts.recipient.secretKey, "hex")));
  return newClient(targetAt(url), { keys });
}

/** Expects the device, its address, its messages, key packages and the commit slot of the stored database. */
async function expectEverything(url: string): Promise<void> {
  const recipient = await recipientAt(url);
  const { messages } = await recipient.poll();
  const texts = messages.map(({ message_id, mls_ciphertext }) => ({
    messageId: message_id,
    text: Buffer.from(mls_ciphertext, "base64").toString(),
  }));
  expect(texts).toEqual(facts.recipient.queued);
  const sender = await newClient(targetAt(url));
  const ciphertext = new TextEncoder().encode("to the address of before");
  const { message_id: last } = await sender.send({ to: facts.recipient.address, ciphertext });
  await expect.poll(async () => (await recipient.poll()).messages.at(-1)?.message_id).toBe(last);
  const slot = await sender.call("getSlot", { path: { slot: facts.slot.name } });
  expect(slot).toMatchObject({ content: facts.slot.content, receipt: facts.slot.receipt });
}

/** Tables that may be empty: what they hold lives for seconds, or only on databases that are spread over machines. */
const mayBeEmpty: Readonly<Record<string, string>> = {
  message_keys_default: "a partition for keys of no day that has one",
  message_keys_with_expiry: "is used on distributed databases only",
};

test("the stored database has rows in every table", async () => {
  const database = await loadDatabase(version);
  const tables = await database.db.rows<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  const empty: string[] = [];
  for (const { name } of tables) {
    const row = await database.db.one<{ empty: boolean }>(`select not exists (select from ${name}) as empty`);
    if (row?.empty && !(name in mayBeEmpty)) empty.push(name);
  }
  await database.drop();
  expect(tables.length).toBeGreaterThan(60);
  expect(empty).toEqual([]);
});

test("a backup of the release is restored with its devices, messages and slots", async () => {
  const database = await createTestDatabase({ empty: true });
  const env = environmentOf(database);
  const { code, stderr } = await runHere(["restore", backupOf(version), "--quiet"], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  await moveOn(database.db, Math.floor(Date.now() / 1_000) - facts.madeAt);
  const node = await startNode(env);
  await expectEverything(`http://127.0.0.1:${node.port}`);
  await stopNode(node);
  await database.drop();
});

describe("a relay of the release", () => {
  let database: TestDatabase;
  let earlier: EarlierProgram;
  let balancer: Balancer;
  let nodes: Node[];

  beforeAll(async () => {
    [database, earlier, balancer] = [
      await loadDatabase(version),
      await unpackProgram(version),
      await startBalancer([]),
    ];
    nodes = [];
    console.log(`the earlier program is ${earlier.origin}`);
  });
  afterAll(async () => {
    for (const node of nodes) await stopNode(node);
    await balancer.stop();
    await earlier.remove();
    await database.drop();
  });

  test("is replaced node by node under load, and back, and loses nothing", async () => {
    const env = environmentOf(database);
    nodes = [await startNode(env, earlier.program), await startNode(env, earlier.program)];
    balancer.ports = nodes.map(({ port }) => port);
    await runHere(["settings", "set", "rate_limiting.enabled=false"], env);
    await expectEverything(balancer.url);

    const target = targetAt(balancer.url);
    const recipient = await newClient(target);
    const clients = [await newClient(target), await newClient(target)];
    const listener = listen(recipient);
    const accepted: string[] = [];
    let over = false;
    const sending = clients.map(async (client) => {
      while (!over) {
        const text = randomBytes(8).toString("hex");
        await sendText(client, recipient, text);
        accepted.push(text);
      }
    });
    const all = Promise.all(sending);
    all.catch(() => undefined);
    const passes = async (): Promise<void> => {
      const before = accepted.length;
      await expect.poll(() => accepted.length).toBeGreaterThan(before + 5);
    };
    const replace = async (at: number, program?: string): Promise<void> => {
      await passes();
      const old = nodes[at] as Node;
      const next = await startNode(env, program);
      nodes[at] = next;
      balancer.ports = nodes.map(({ port }) => port);
      await stopNode(old);
    };

    for (const at of nodes.keys()) await replace(at);
    // The earlier version works on a database without new steps only; if there are some, its way back is the backup.
    if (!earlier.isThisOne && (await hasNewSteps())) await expectRefusal(env, earlier.program);
    else await replace(0, earlier.program);
    await passes();
    over = true;
    await all;
    await listener.until(({ texts }) => accepted.every((text) => texts.includes(text)));
    await listener.receiving.stop();
    expect(await migrate(database.db)).toEqual([]);
  });
});

async function hasNewSteps(): Promise<boolean> {
  const manifest: Manifest = JSON.parse(await readFile(`spec/released/${version}.json`, "utf8"));
  return migrations.length > manifest.migrations.length;
}

/** The earlier version does not start on the upgraded database, and starts on its own backup. */
async function expectRefusal(env: Record<string, string>, program: string): Promise<void> {
  const refused = await startCommand(["serve"], env, program).ended;
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/newer version.*restore a backup/s) });
  const empty = await createTestDatabase({ empty: true });
  const own = { ...env, DATABASE_URL: empty.url };
  expect((await startCommand(["restore", backupOf(version), "--quiet"], own, program).ended).code).toBe(0);
  await moveOn(empty.db, Math.floor(Date.now() / 1_000) - facts.madeAt);
  const node = await startNode(own, program);
  await expectEverything(`http://127.0.0.1:${node.port}`);
  await stopNode(node);
  await empty.drop();
}
