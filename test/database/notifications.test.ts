import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createNotifications, type Notifications } from "../../src/database/pool/notifications.js";
import { createLogger } from "../../src/platform/logger.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

let database: TestDatabase;
const started: Notifications[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((each) => each.stop()));
});
afterAll(() => database.drop());

async function start(): Promise<Notifications> {
  const notifications = createNotifications({ url: database.url, logger: createLogger({ level: "silent" }) });
  await notifications.start();
  started.push(notifications);
  return notifications;
}

function hear(on: Notifications, channel: string): string[] {
  const heard: string[] = [];
  on.listen(channel, (payload) => heard.push(payload));
  return heard;
}

/** The processes that serve connections for notifications in this database. */
async function cutListeners(): Promise<number> {
  const cut = await database.db.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and query not like '%pg_stat_activity%'`,
  );
  return cut.length;
}

const soon = { timeout: 300_000, interval: 20 };

test("a hint reaches the listeners of its channel on every node, the sender's included, and no others", async () => {
  const [a, b] = [await start(), await start()];
  const heard = [hear(a, "news"), hear(b, "news"), hear(b, "Other channel")];
  await vi.waitUntil(() => heard.every((each) => each.length === 1), soon);
  a.notify("news", "one");
  b.notify("Other channel", "two");
  await vi.waitUntil(() => heard.every((each) => each.length === 2), soon);
  expect(heard).toEqual([
    ["", "one"],
    ["", "one"],
    ["", "two"],
  ]);
});

test("a listener added after the start is called, because it may have missed something", async () => {
  const node = await start();
  const heard = hear(node, "late");
  await vi.waitUntil(() => heard.length === 1, soon);
  expect(heard).toEqual([""]);
});

test("equal pending hints are sent once", async () => {
  const node = await start();
  const heard = hear(node, "often");
  await vi.waitUntil(() => heard.length === 1, soon);
  for (let i = 0; i < 1000; i += 1) node.notify("often", "again");
  node.notify("often", "last");
  await vi.waitUntil(() => heard.includes("last"), soon);
  expect(heard.filter((payload) => payload === "again").length).toBeLessThanOrEqual(2);
});

test("hints beyond the limit become one empty hint per channel", async () => {
  const node = await start();
  const heard = hear(node, "flood");
  await vi.waitUntil(() => heard.length === 1, soon);
  for (let i = 0; i < 10_002; i += 1) node.notify("flood", String(i));
  await vi.waitUntil(() => heard.includes("10001"), soon);
  expect(heard.length).toBeLessThan(10);
  expect(heard.filter((payload) => payload === "")).toHaveLength(2);
});

test("after a reconnect the listeners are called, and receive hints again", async () => {
  const node = await start();
  const heard = hear(node, "news");
  await vi.waitUntil(() => heard.length === 1, soon);
  expect(await cutListeners()).toBe(1);
  await vi.waitUntil(() => heard.length === 2, soon);
  node.notify("news", "after");
  await vi.waitUntil(() => heard.length === 3, soon);
  expect(heard).toEqual(["", "", "after"]);
});

test("a listener that throws does not affect the others", async () => {
  const node = await start();
  node.listen("news", () => {
    throw new Error("deaf");
  });
  const heard = hear(node, "news");
  await vi.waitUntil(() => heard.length === 1, soon);
  const end = node.listen("news", () => undefined);
  end();
  node.notify("news", "one");
  await vi.waitUntil(() => heard.includes("one"), soon);
});

test("a payload beyond PostgreSQL's limit is refused at once", async () => {
  const node = await start();
  expect(() => node.notify("news", "x".repeat(7001))).toThrow(RangeError);
});

test("hints from before the stop are sent", async () => {
  const [a, b] = [await start(), await start()];
  const heard = hear(b, "farewell");
  await vi.waitUntil(() => heard.length === 1, soon);
  a.notify("farewell", "bye");
  await a.stop();
  await vi.waitUntil(() => heard.includes("bye"), soon);
});
