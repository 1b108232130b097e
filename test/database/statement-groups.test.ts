import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CopyRows } from "../../src/database/pipeline/copy.js";
import {
  createPipelinedConnections,
  createPipelines,
  type OpenPipeline,
  type Pipelines,
  together,
} from "../../src/database/pipeline/pipelines.js";
import { oneMachine } from "../../src/database/placement.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

const config = { databaseStatementTimeoutSeconds: 60, databaseConnectTimeoutSeconds: 60 };

let database: TestDatabase;
let pipelines: Pipelines;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.db.run("create table grouped (number integer primary key)");
});
beforeEach(() => {
  pipelines = createPipelines({ url: database.url, config, placement: oneMachine });
});
afterEach(async () => {
  await pipelines.stop();
  await database.db.run("delete from grouped");
});
afterAll(() => database.drop());

const transaction = async (pipeline: Pick<OpenPipeline, "rows">): Promise<number | undefined> =>
  (await pipeline.rows<{ id: number }>("select txid_current() as id", {}))[0]?.id;
const insert = (pipeline: OpenPipeline, number: number) =>
  pipeline.rows("insert into grouped (number) values (:number::integer)", { number });
const divide = async (pipeline: Pick<OpenPipeline, "rows">, by: number) =>
  (await pipeline.rows<{ value: number }>("select 10 / :by::integer as value", { by }))[0]?.value;
const stored = async () =>
  (await database.db.rows<{ number: number }>("select number from grouped order by number")).map((row) => row.number);
const messageOf = (error: Error): string => error.message;

describe("statements that are sent at once", () => {
  test("form a transaction, and those before and behind begin and commit form others", () =>
    pipelines.use(async (pipeline) => {
      const [one, same, , inside, , after] = await together([
        transaction(pipeline),
        transaction(pipeline),
        pipeline.begin(),
        transaction(pipeline),
        pipeline.commit(),
        transaction(pipeline),
      ]);
      expect(same).toBe(one);
      expect(new Set([one, inside, after]).size).toBe(3);
    }));

  test("fail together, and can be executed afterwards", async () => {
    await pipelines.use(async (pipeline) => {
      const failing = [insert(pipeline, 1), divide(pipeline, 0), transaction(pipeline)];
      const messages = await Promise.all(failing.map((one) => one.then(() => "", messageOf)));
      expect(messages).toEqual(Array(3).fill("division by zero"));
      expect(await divide(pipeline, 5)).toBe(2);
      expect(await transaction(pipeline)).toBeGreaterThan(0);
      await insert(pipeline, 2);
    });
    expect(await stored()).toEqual([2]);
  });

  test("fail in a transaction without ending it", async () => {
    await pipelines.use(async (pipeline) => {
      await together([pipeline.begin(), insert(pipeline, 1)]);
      const failing = [insert(pipeline, 1), insert(pipeline, 2), pipeline.commit()];
      const messages = await Promise.all(failing.map((one) => one.then(() => "", messageOf)));
      expect(new Set(messages)).toEqual(new Set([expect.stringContaining("duplicate key")]));
      expect(await transaction(pipeline).catch(messageOf)).toMatch(/aborted/);
      await pipeline.rollback();
      await together([pipeline.begin(), insert(pipeline, 3), pipeline.commit()]);
    });
    expect(await stored()).toEqual([3]);
  });

  test("give rows of every kind, the first time and later", () =>
    pipelines.use(async (pipeline) => {
      const mixed = () =>
        pipeline.rows(
          "select n, null as nothing, 'a' as text, '\\x00ff'::bytea as bytes from generate_series(1, 2) as n",
          {},
        );
      const expected = [1, 2].map((n) => ({ n, nothing: null, text: "a", bytes: Buffer.from([0, 255]) }));
      for (let times = 0; times < 2; times++) {
        expect(await together([mixed(), insert(pipeline, times), mixed()])).toEqual([expected, [], expected]);
      }
    }));
});

test("a commit behind a COPY commits its rows, and fails where it does", async () => {
  const copied = (numbers: number[]) => numbers.reduce((all, number) => all.row(1).integer(number), new CopyRows());
  const copy = (numbers: number[]) =>
    pipelines.use((pipeline) =>
      together([pipeline.begin(), pipeline.copy("grouped (number)", copied(numbers)), pipeline.commit()]),
    );
  await copy([1, 2]);
  await expect(copy([3, 2])).rejects.toThrow(/duplicate key/);
  await copy([4]);
  expect(await stored()).toEqual([1, 2, 4]);
});

test("callers that share a connection share no transaction", async () => {
  const shared = createPipelinedConnections({ url: database.url, config, placement: oneMachine, count: 1 });
  const [one, other] = await Promise.all([transaction(shared), transaction(shared)]);
  expect(one).not.toBe(other);
  await shared.stop();
});
