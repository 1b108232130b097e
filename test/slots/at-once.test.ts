import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { call } from "../support/api.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { newSlot, takingOf } from "../support/slots.js";

// Requests that come at once share transactions. None may notice it.

const slotsPerHour = 5;
let nodes: TestRelay[];
let db: Database;
let slotKey: string;

beforeAll(async () => {
  const first = await startRelay({ newTierSlotsPerHour: slotsPerHour, slotStorageBytes: 1_048_576 });
  nodes = [first, await startRelay({ ...first.config, databaseUrl: first.databaseUrl }, { clock: first.clock })];
  db = createDatabase({ url: first.databaseUrl, poolSize: 2 });
  slotKey = (await call(first, "getDiscovery")).body.slots?.key ?? "";
});
afterAll(async () => {
  await db.close();
  for (const node of nodes.toReversed()) await node.stop();
});

const newContent = (bytes = 200) => randomBytes(bytes).toString("base64");
const newDevices = (count: number) =>
  Promise.all(Array.from({ length: count }, () => newDevice(nodes[0] as TestRelay)));

function take(by: TestDevice, { slot = newSlot(), content = newContent(), node = 0 } = {}) {
  const body = takingOf(slot, { content, slot_key: slotKey }, "relay.test");
  return call(nodes[node] as TestRelay, "takeSlot", { token: by.token, params: { slot }, body });
}

const errorOf = ({ status, body }: { status: number; body: { error?: string | undefined } }) => [status, body.error];

/** The balance, and the bytes that the slots have. */
async function bytes(): Promise<{ balance: number; stored: number }> {
  const found = await db.one<{ balance: number; stored: number }>(
    `select (select content_bytes from slot_balance) as balance,
            (select coalesce(sum(octet_length(content)), 0) from slots)::bigint as stored`,
  );
  return found ?? { balance: -1, stored: -2 };
}

async function remaining(by: TestDevice, name: string): Promise<number | undefined> {
  const { limits } = (await call(nodes[0] as TestRelay, "getLimits", { token: by.token })).body;
  return limits.find((limit) => limit.name === name)?.remaining;
}

test("refusals of some devices change nothing for others, and each device is counted exactly", async () => {
  const [blocked, greedy, ...others] = await newDevices(12);
  if (blocked === undefined || greedy === undefined) throw new Error("there are too few devices");
  await db.run("update devices set blocked_at = 1 where device_id = :id", { id: blocked.deviceId });
  const [refused, greedily, granted] = await Promise.all([
    take(blocked),
    Promise.all(Array.from({ length: 2 * slotsPerHour }, (_, i) => take(greedy, { node: i % 2 }))),
    Promise.all(others.flatMap((by, i) => [take(by, { node: i % 2 }), take(by, { node: (i + 1) % 2 })])),
  ]);
  expect(errorOf(refused)).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
  expect(granted.map(({ status, body }) => [status, body.won])).toEqual(granted.map(() => [200, true]));
  expect(greedily.filter(({ status }) => status === 200)).toHaveLength(slotsPerHour);
  const tooMany = greedily.filter(({ status }) => status !== 200);
  expect(tooMany.map(errorOf)).toEqual(tooMany.map(() => [429, "RATE_LIMIT_EXCEEDED"]));
  expect(await remaining(greedy, "slots_hour")).toBe(0);
  for (const by of others) expect(await remaining(by, "slots_hour")).toBe(slotsPerHour - 2);
  const { balance, stored } = await bytes();
  expect(balance).toBe(stored);
});

test("what is left of the space is given to as many as it has room for", async () => {
  const devices = await newDevices(8);
  const { balance: before, stored } = await bytes();
  await db.run("update slot_balance set content_bytes = 1048576 - 3500");
  const answers = await Promise.all(devices.map((by, i) => take(by, { content: newContent(1_000), node: i % 2 })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.map(errorOf)).toEqual(refused.map(() => [507, "QUEUE_FULL"]));
  expect(await bytes()).toEqual({ balance: 1_048_576 - 500, stored: stored + 3_000 });
  await db.run("update slot_balance set content_bytes = :bytes::bigint", { bytes: before + 3_000 });
  // Nothing was counted for those that were refused.
  const left = await Promise.all(devices.map((by) => remaining(by, "slots_hour")));
  expect(left).toEqual(answers.map(({ status }) => slotsPerHour - (status === 200 ? 1 : 0)));
});

test("many slots that are taken on two nodes in opposite orders have one winner each", async () => {
  const devices = await newDevices(8);
  const slots = Array.from({ length: slotsPerHour }, () => newSlot());
  const commits = devices.flatMap((by, i) =>
    (i % 2 ? slots.toReversed() : slots).map((slot) => ({ by, slot, content: newContent(), node: i % 2 })),
  );
  const answers = await Promise.all(commits.map(({ by, ...commit }) => take(by, commit)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  for (const slot of slots) {
    const own = commits.flatMap((commit, i) => (commit.slot === slot ? { commit, body: answers[i]?.body } : []));
    const winners = own.filter(({ body }) => body?.won);
    expect(winners).toHaveLength(1);
    expect(new Set(own.map(({ body }) => body?.receipt.signature)).size).toBe(1);
    const lost = own.filter(({ body }) => !body?.won).map(({ body }) => body?.content);
    expect(lost).toEqual(lost.map(() => winners[0]?.commit.content));
  }
  const taken = await Promise.all(devices.map((by) => remaining(by, "slots_hour")));
  expect(taken.reduce<number>((sum, left) => sum + slotsPerHour - (left ?? 0), 0)).toBe(slots.length);
});

test("one content that comes several times at once has won each time and is counted once", async () => {
  const devices = await newDevices(4);
  const commit = { slot: newSlot(), content: newContent() };
  const before = await bytes();
  const answers = await Promise.all(devices.map((by, i) => take(by, { ...commit, node: i % 2 })));
  expect(answers.map(({ body }) => body.won)).toEqual([true, true, true, true]);
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(await bytes()).toEqual({ balance: before.balance + 200, stored: before.stored + 200 });
});

test("a request that the database cannot store fails alone", async () => {
  await db.run(
    `create function refuse_slot() returns trigger language plpgsql as
     $$ begin raise exception 'a planted error'; end $$;
     create trigger refuse_slot before insert on slots
     for each row when (get_byte(new.slot, 0) = 255) execute function refuse_slot()`,
  );
  const devices = await newDevices(6);
  const slotOf = (i: number) => newSlot((name) => name.startsWith("ff") === (i === 2));
  const answers = await Promise.all(devices.map((by, i) => take(by, { slot: slotOf(i) })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 500, 200, 200, 200]);
  const { balance, stored } = await bytes();
  expect(balance).toBe(stored);
});
