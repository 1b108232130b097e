import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CopyRows } from "../../src/database/pipeline/copy.js";
import { createPipelines, type Pipelines, together } from "../../src/database/pipeline/pipelines.js";
import { oneMachine } from "../../src/database/placement.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

const config = { databaseStatementTimeoutSeconds: 60, databaseConnectTimeoutSeconds: 60 };
const into = "things (id, name, count, data, more)";

interface Thing {
  id: string;
  name: string;
  count: number;
  data: Uint8Array;
  more: string | null;
}

let database: TestDatabase;
let pipelines: Pipelines;
beforeAll(async () => {
  database = await createTestDatabase();
  pipelines = createPipelines({ url: database.url, config, placement: oneMachine });
  await database.db.run(
    "create table things (id uuid primary key, name text, count bigint, data bytea, more jsonb, constraint few check (count <> 7))",
  );
});
beforeEach(() => database.db.rows("truncate things"));
afterAll(async () => {
  await pipelines.stop();
  await database.drop();
});

const stored = (): Promise<Thing[]> => database.db.rows<Thing>("select id, name, count, data, more::text from things");

function copied(things: readonly Thing[]): CopyRows {
  const written = new CopyRows();
  for (const { id, name, count, data, more } of things) {
    written.row(5).uuid(id).text(name).bigint(count).bytes(data).jsonb(more);
  }
  return written;
}

const thing = (count: number): Thing => ({
  ...{ id: `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`, name: "a", count },
  ...{ data: Buffer.from([1]), more: null },
});

describe("rows that are copied", () => {
  it("arrive as they were given", async () => {
    const things = fc.uniqueArray(
      fc.record({
        id: fc.uuid(),
        name: fc.string({ unit: "grapheme", maxLength: 200 }).filter((text) => !text.includes("\0")),
        count: fc.maxSafeNat().filter((count) => count !== 7),
        data: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.alloc(997 * bytes.length, bytes)),
        more: fc.option(fc.nat().map((n) => JSON.stringify({ "\u00e4": n }).replace(":", ": "))),
      }),
      { selector: ({ id }) => id, maxLength: 10 },
    );
    await fc.assert(
      fc.asyncProperty(things, async (given) => {
        await database.db.run("truncate things");
        await pipelines.use((pipeline) => pipeline.copy(into, copied(given)));
        const found = new Map((await stored()).map((one) => [one.id, one]));
        expect(found.size).toBe(given.length);
        for (const one of given) expect(found.get(one.id)).toEqual({ ...one, data: Buffer.from(one.data) });
      }),
      { numRuns: 40 },
    );
  });

  it("belong to the transaction, in order with the statements sent before and after them without waiting", async () => {
    await pipelines.use(async (pipeline) => {
      const [, , , [row]] = await together([
        pipeline.begin(),
        pipeline.rows("insert into things (id, count) values (gen_random_uuid(), 0)"),
        pipeline.copy(into, copied([thing(1), thing(2)])),
        pipeline.rows<{ count: number }>("select count(*) as count from things"),
      ]);
      expect(row?.count).toBe(3);
      await pipeline.rollback();
    });
    expect(await stored()).toEqual([]);
  });

  it.each([
    ["at its first row", [thing(7), thing(1)]],
    ["at its last row, far behind the first", [...Array.from({ length: 3_000 }, (_, i) => thing(i + 10)), thing(7)]],
  ])("are all refused where the statement fails %s, and the connection goes on", async (_, things) => {
    const asked = pipelines.use((pipeline) =>
      together([pipeline.begin(), pipeline.copy(into, copied(things)), pipeline.commit()]),
    );
    await expect(asked).rejects.toMatchObject({ code: "23514" });
    expect(await stored()).toEqual([]);
    await pipelines.use((pipeline) => pipeline.copy(into, copied([thing(1)])));
    expect(await stored()).toHaveLength(1);
  });

  it("are discarded if the transaction has failed", async () => {
    const asked = pipelines.use((pipeline) =>
      together([
        pipeline.begin(),
        pipeline.rows("select 1 / 0"),
        pipeline.copy(into, copied([thing(1)])),
        pipeline.commit(),
      ]),
    );
    await expect(asked).rejects.toThrow("division by zero");
    expect(await stored()).toEqual([]);
    await pipelines.use((pipeline) => pipeline.copy(into, copied([thing(2)])));
    expect(await stored()).toHaveLength(1);
  });
});
