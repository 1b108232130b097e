import { afterAll, beforeAll, expect, test } from "vitest";
import { listen, newClient, sendText } from "../client/harness.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { type Balancer, startBalancer } from "./balancer.js";

const nodeCount = 3;
const senders = 3;

let database: TestDatabase;
let first: TestRelay;
let nodes: TestRelay[];
let balancer: Balancer;

beforeAll(async () => {
  database = await createTestDatabase();
  const seeds = { SEED_RATE_LIMITING_ENABLED: "false" };
  first = await startRelay({ databaseUrl: database.url, seeds, reconnectSpreadSeconds: 1 });
  nodes = [first];
  while (nodes.length < nodeCount) nodes.push(await startRelay(first.config, { clock: first.clock }));
  balancer = await startBalancer(nodes.map(portOf));
});
afterAll(async () => {
  await balancer.stop();
  for (const node of nodes) await node.stop();
  await database.drop();
});

function portOf({ url }: TestRelay): number {
  return Number(new URL(url).port);
}

test("three nodes restarted one after the other under load: no call fails and no message is lost", async () => {
  const target = { ...first, url: balancer.url };
  const recipient = await newClient(target);
  const clients = [];
  for (let i = 0; i < senders; i++) clients.push(await newClient(target));
  const listener = listen(recipient);
  const sent: string[] = [];
  let over = false;
  const sending = clients.map(async (client, i) => {
    for (let n = 0; !over; n++) {
      const text = `${i}-${n}`;
      await sendText(client, recipient, text);
      sent.push(text);
    }
  });
  const allWell = Promise.all(sending);
  allWell.catch(() => undefined);

  for (let i = 0; i < nodeCount; i++) {
    const before = sent.length;
    await expect.poll(() => sent.length).toBeGreaterThan(before + 5);
    const old = nodes[i] as TestRelay;
    const next = await startRelay(first.config, { clock: first.clock });
    balancer.ports = nodes.map((node, at) => portOf(at === i ? next : node));
    nodes[i] = next;
    await old.stop();
  }
  const before = sent.length;
  await expect.poll(() => sent.length).toBeGreaterThan(before + 5);
  over = true;
  await allWell;
  await listener.until(({ texts }) => sent.every((text) => texts.includes(text)));
  await listener.receiving.stop();
});
