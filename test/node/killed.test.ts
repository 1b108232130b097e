import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeviceClient } from "../../src/client/device/client.js";
import { constantsEnvironment, loadConfig } from "../../src/composition/config.js";
import { createSystemClock } from "../../src/node/clock.js";
import { type Listener, listen, newClient, sendText } from "../client/harness.js";
import type { Target } from "../crash/sending.js";
import { startTraffic } from "../crash/traffic.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { type Balancer, startBalancer } from "./balancer.js";

const nodeCount = 3;
const env = {
  MASTER_KEY: randomBytes(32).toString("hex"),
  DOMAIN: "relay.test",
  HOST: "127.0.0.1",
  PORT: "0",
  LOG_LEVEL: "error",
  DATABASE_POOL_SIZE: "4",
  ...constantsEnvironment({ expiryIntervalSeconds: 1 }),
  SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
  SEED_RATE_LIMITING_ENABLED: "false",
  FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000",
  FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000",
};

interface Node {
  command: RunningCommand;
  url: string;
}

let database: TestDatabase;
let nodes: Node[];
let balancer: Balancer;
/** The three of them, as clients see them. */
let relay: TestRelay;

beforeAll(async () => {
  database = await createTestDatabase();
  // The first one is the first to ask who runs the jobs.
  const first = await startNode();
  nodes = [first, ...(await Promise.all(Array.from({ length: nodeCount - 1 }, startNode)))];
  balancer = await startBalancer(nodes.map(({ url }) => Number(new URL(url).port)));
  const target: Target = {
    url: balancer.url,
    config: loadConfig(env),
    clock: createSystemClock() as TestRelay["clock"],
  };
  relay = target as TestRelay;
});
afterAll(async () => {
  await balancer.stop();
  for (const { command } of nodes) command.kill("SIGTERM");
  for (const { command } of nodes) await command.ended;
  await database.drop();
});

async function startNode(): Promise<Node> {
  const command = startCommand(["serve"], { ...env, DATABASE_URL: database.url });
  const [, url = ""] = await command.seen(/ at (http:\S+)/);
  return { command, url };
}

/** A message whose time is over, and whether it is still there. */
async function overdue(): Promise<{ gone(): Promise<boolean> }> {
  const [anna, ben] = [await newDevice(relay), await newDevice(relay)];
  const { body } = await anna.send(ben.address);
  const message = { id: body.message_id };
  await database.db.run("update messages set expires_at = 1 where message_id = :id::uuid", message);
  const find = "select 1 from messages where message_id = :id::uuid";
  return { gone: async () => (await database.db.rows(find, message)).length === 0 };
}

/** Devices whose streams are open at all nodes, however the connections were dealt. */
async function listenOnEveryNode(): Promise<{ client: DeviceClient; at: Listener }[]> {
  const everyone: { client: DeviceClient; at: Listener }[] = [];
  for (let streams = 1; ; streams++) {
    const client = await newClient(relay);
    everyone.push({ client, at: listen(client) });
    const theirs = () => nodesOfStreams(everyone.map((one) => one.client.deviceId));
    await expect.poll(async () => (await theirs()).length).toBe(streams);
    if (new Set(await theirs()).size === nodeCount) return everyone;
  }
}

/** The nodes at which these devices have streams; others may have some, too. */
async function nodesOfStreams(deviceIds: readonly string[]): Promise<string[]> {
  const find =
    "select stream_node as node from queues where device_id = any(:deviceIds::text[]) and stream_node is not null";
  return (await database.db.rows<{ node: string }>(find, { deviceIds })).map(({ node }) => node);
}

test("one node of three, killed while clients send and stream: nothing is lost, and the others go on with all of it", async () => {
  const before = await overdue();
  await expect.poll(before.gone).toBe(true);

  const traffic = await startTraffic(relay);
  const anna = await newClient(relay);
  const everyone = await listenOnEveryNode();
  const received = (text: string) =>
    Promise.all(everyone.map(({ at }) => at.until(({ texts }) => texts.includes(text))));
  const sendAll = async (text: string) => {
    for (const { client } of everyone) await sendText(anna, client, text);
  };
  await sendAll("before");
  await received("before");

  const [dead, ...alive] = nodes as [Node, ...Node[]];
  const accepted = traffic.ledger.accepted.size;
  dead.command.kill("SIGKILL");
  expect(await dead.command.ended).toMatchObject({ signal: "SIGKILL" });
  nodes = alive;

  await sendAll("after");
  await received("after");
  await expect.poll(() => traffic.ledger.accepted.size).toBeGreaterThan(accepted + 20);
  const later = await overdue();
  await expect.poll(later.gone).toBe(true);
  expect({ lost: await traffic.finish(), cameBack: traffic.ledger.cameBack }).toEqual({ lost: [], cameBack: [] });
  for (const { at } of everyone) {
    expect([...at.texts].sort()).toEqual(["after", "before"]);
    await at.receiving.stop();
  }
});
