import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { createSystemClock } from "../../src/node/clock.js";
import { call } from "../support/api.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** A process of the relay at an address that changes with each start. */
interface Node {
  relay: TestRelay;
  start(): Promise<void>;
  end(signal: NodeJS.Signals): Promise<void>;
}

let database: TestDatabase;
let nodes: Node[];
let members: TestDevice[];

beforeAll(async () => {
  database = await createTestDatabase();
  nodes = [makeNode(["serve", "--workers", "2"]), makeNode(["serve"])];
  for (const node of nodes) await node.start();
  const [first] = nodes as [Node, Node];
  members = [];
  for (let i = 0; i < 5; i++) members.push(await newDevice(first.relay));
});
afterAll(async () => {
  await Promise.all((nodes ?? []).map((node) => node.end("SIGTERM")));
  await database.drop();
});

const masterKey = "5a".repeat(32);

function makeNode(args: readonly string[]): Node {
  const env = {
    ...{ DATABASE_URL: database.url, MASTER_KEY: masterKey, DOMAIN: "relay.test", PORT: "0", LOG_LEVEL: "error" },
    ...{ HOST: "127.0.0.1", DATABASE_POOL_SIZE: "4", SHUTDOWN_GRACE_SECONDS: "1" },
    ...{ SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false", SEED_RATE_LIMITING_ENABLED: "false" },
    ...{ FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000", FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000" },
    ...{ SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "1000000" },
  };
  const relay = { url: "", config: loadConfig(env), clock: createSystemClock() } as unknown as TestRelay;
  let running: RunningCommand | undefined;
  return {
    relay,
    async start() {
      running = startCommand(args, env);
      const [, url = ""] = await running.seen(/ at (http\S+)/);
      relay.url = url;
    },
    async end(signal) {
      running?.kill(signal);
      await running?.ended;
      running = undefined;
    },
  };
}

/** Sends one message to all members, at one node, as often as it takes. */
async function sendToAll(sender: TestDevice, at: TestRelay): Promise<string> {
  const { recipient_address: _one, ...content } = message(at, sender.address);
  const body = { ...content, recipients: members.map(({ address }) => address) };
  await until(async () => {
    const answer = await call(at, "sendMessageToMany", { token: sender.token, body }).catch(() => undefined);
    if (answer === undefined || answer.status >= 500) return false;
    expect(answer.body).toMatchObject({ accepted_count: members.length, rejected_count: 0 });
    return true;
  }, "the message is accepted");
  return content.message_id;
}

test("messages to many stand in one order in all queues although nodes and workers are killed while they are sent", async () => {
  const sent: string[] = [];
  let sending = true;
  const senders = members.map(async (sender, index) => {
    for (let round = index; sending; round++) {
      sent.push(await sendToAll(sender, (nodes[round % 2] as Node).relay));
      await sleep(20);
    }
  });
  for (const node of [...nodes, ...nodes]) {
    const { length } = sent;
    await until(async () => sent.length >= length + 10, "messages are accepted");
    await sleep(Math.random() * 50);
    await node.end("SIGKILL");
    await node.start();
  }
  sending = false;
  await Promise.all(senders);
  const [first] = nodes as [Node, Node];
  const queues = await Promise.all(
    members.map(async ({ token }) => {
      const page = demand(await call(first.relay, "pollMessages", { token, query: { limit: "1000" } })).body;
      return page.messages.map(({ message_id: id }) => id);
    }),
  );
  // One page has the first thousand.
  expect(queues[0]).toHaveLength(Math.min(1_000, sent.length));
  expect(queues[0]?.filter((id) => !sent.includes(id))).toEqual([]);
  for (const queue of queues) expect(queue).toEqual(queues[0]);
});
