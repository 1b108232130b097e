import { afterAll, beforeAll, expect, test } from "vitest";
import { createRefreshingCache } from "../../src/node/refreshing-cache.js";
import { createSharedPoll, followCondition } from "../../src/node/shared-poll.js";
import { createLogger } from "../../src/platform/logger.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { notingStatements } from "../support/noting-statements.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.db.run("create table numbers (number bigint); insert into numbers values (1)");
});
afterAll(() => database.drop());

const logger = createLogger({ level: "silent" });
const soon = { interval: 50 };
const newPoll = ({ db }: Pick<TestDatabase, "db"> = database) => createSharedPoll({ db, everyMillis: 60_000, logger });
const storeNumber = (number: number) =>
  database.db.rows("update numbers set number = :number::bigint", { number }).then(() => undefined);

/** A copy of the number, and how often it was read. */
function newCopy(poll: ReturnType<typeof newPoll>, { sql = "select number from numbers", passesVersion = false } = {}) {
  const copy = { number: 0, reads: 0 };
  const cache = createRefreshingCache({
    name: "number",
    version: { sql },
    poll,
    logger,
    async read(isOfVersion) {
      const row = await database.db.one<{ number: number }>("select number from numbers");
      copy.number = row?.number ?? 0;
      if (passesVersion) isOfVersion(String(copy.number));
      copy.reads += 1;
    },
  });
  return { ...cache, copy };
}

test("one statement asks for everything that is followed, and a copy is read only where its version has moved", async () => {
  const statements: string[] = [];
  const poll = newPoll({ db: notingStatements(database.db, (sql) => statements.push(sql)) });
  const [moving, resting] = [newCopy(poll), newCopy(poll, { sql: "select 'never moves'" })];
  await Promise.all([moving.start(), resting.start()]);
  await poll.ask();
  await expect.poll(() => [moving.copy.reads, resting.copy.reads], soon).toEqual([2, 2]);

  statements.length = 0;
  for (let i = 0; i < 3; i++) await poll.ask();
  expect(statements).toHaveLength(3);
  await storeNumber(2);
  await poll.ask();
  await expect.poll(() => moving.copy.number, soon).toBe(2);
  await expect.poll(() => [moving.copy.reads, resting.copy.reads], soon).toEqual([3, 2]);
  await Promise.all([moving.stop(), resting.stop(), poll.stop()]);
});

test("a copy of a change that is undone before the poll sees it is read again", async () => {
  const poll = newPoll();
  const one = newCopy(poll, { passesVersion: true });
  await one.start();
  await poll.ask();
  const [before, reads] = [one.copy.number, one.copy.reads];
  await storeNumber(before + 1);
  await one.refresh();
  await storeNumber(before);
  await poll.ask();
  await expect.poll(() => [one.copy.number, one.copy.reads], soon).toEqual([before, reads + 2]);
  await poll.ask();
  expect(one.copy.reads).toBe(reads + 2);
  await Promise.all([one.stop(), poll.stop()]);
});

test("a copy reads itself where the poll cannot be answered", async () => {
  const poll = newPoll();
  const one = newCopy(poll);
  const unfollow = poll.follow({ sql: "select 1 / 0", seen: () => {} });
  await expect(poll.ask()).rejects.toThrow("division by zero");
  await storeNumber(3);
  await one.ensure();
  expect(one.copy.number).toBe(3);
  unfollow();
  await poll.ask();
});

test("a condition may hold until the poll has found that it does not", async () => {
  const poll = newPoll();
  let found = 0;
  const isFour = followCondition(poll, {
    sql: "select 'yes' from numbers where number = :wanted::bigint",
    bindings: () => ({ wanted: 4 }),
    found: () => {
      found += 1;
    },
  });
  expect(isFour.mayHold()).toBe(true);
  await storeNumber(5);
  await poll.ask();
  expect([isFour.mayHold(), found]).toEqual([false, 0]);
  await storeNumber(4);
  await poll.ask();
  expect([isFour.mayHold(), found]).toEqual([true, 1]);
  isFour.unfollow();
});
