import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPipelinedConnections, type PipelinedConnections } from "../../src/database/pipeline/pipelines.js";
import { oneMachine } from "../../src/database/placement.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { startTcpProxy } from "../support/tcp-proxy.js";

const config = { databaseStatementTimeoutSeconds: 60, databaseConnectTimeoutSeconds: 60 };
const count = 2;

let database: TestDatabase;
let pipelined: PipelinedConnections;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => {
  pipelined = createPipelinedConnections({ url: database.url, config, placement: oneMachine, count });
});
afterEach(() => pipelined.stop());
afterAll(() => database.drop());

const backend = async (): Promise<number> => {
  const row = await pipelined.one<{ pid: number }>("select pg_backend_pid() as pid");
  return row?.pid ?? 0;
};
const backends = async (asked: number) => new Set(await Promise.all(Array.from({ length: asked }, backend)));

describe("pipelined connections", () => {
  it("are opened on demand, up to the limit", async () => {
    expect((await backends(20)).size).toBe(count);
    await pipelined.stop();
    pipelined = createPipelinedConnections({ url: database.url, config, placement: oneMachine, count });
    const first = await backend();
    for (let n = 0; n < 5; n++) expect(await backend()).toBe(first);
  });

  it("isolate a failing statement from the others", async () => {
    const divide = (by: number) =>
      pipelined.rows<{ value: number }>("select 10 / :by::integer as value", { by }).then(
        ([row]) => row?.value,
        (error: Error) => error.message,
      );
    const answers = await Promise.all([1, 0, 2, 0, 5].map(divide));
    expect(answers).toEqual([10, "division by zero", 5, "division by zero", 2]);
  });

  it("are replaced when they are cut, and statements in flight fail", async () => {
    const before = await backends(20);
    const sleeping = pipelined.rows("select pg_sleep(5)").catch((error: unknown) => error);
    await database.db.run("select pg_terminate_backend(pid) from unnest(:pids::integer[]) as pid", {
      pids: [...before],
    });
    expect(await sleeping).toMatchObject({ id: "DATABASE_UNAVAILABLE" });
    await expect.poll(() => backend().catch(() => 0)).not.toBe(0);
    for (const pid of await backends(20)) expect(before).not.toContain(pid);
  });

  it("come back once the database can be reached", async () => {
    const url = new URL(database.url);
    const proxy = await startTcpProxy(Number(url.port));
    url.host = `127.0.0.1:${proxy.port}`;
    const far = createPipelinedConnections({ url: url.href, config, placement: oneMachine, count });
    proxy.open = false;
    await expect(far.rows("select 1")).rejects.toMatchObject({ id: "DATABASE_UNAVAILABLE" });
    proxy.open = true;
    expect(await far.rows("select 1 as one")).toEqual([{ one: 1 }]);
    await far.stop();
    await proxy.stop();
  });

  it("break off where the database answers nothing for too long, however much is sent meanwhile", async () => {
    const url = new URL(database.url);
    const proxy = await startTcpProxy(Number(url.port));
    url.host = `127.0.0.1:${proxy.port}`;
    const far = createPipelinedConnections({
      url: url.href,
      config: { ...config, databaseStatementTimeoutSeconds: 1 },
      placement: oneMachine,
      count,
    });
    expect(await far.rows("select 1 as one")).toEqual([{ one: 1 }]);
    proxy.requests = "hold";
    const asked: Promise<unknown>[] = [];
    const asking = setInterval(() => asked.push(far.rows("select 2 as two").catch((error: unknown) => error)), 100);
    try {
      expect(await far.rows("select 1").catch((error: unknown) => error)).toMatchObject({
        id: "DATABASE_UNAVAILABLE",
      });
    } finally {
      clearInterval(asking);
      proxy.requests = "pass";
    }
    // What was sent on a connection that opened meanwhile is answered once the database answers.
    const possible = [[{ two: 2 }], expect.objectContaining({ id: "DATABASE_UNAVAILABLE" })];
    for (const answer of await Promise.all(asked)) expect(possible).toContainEqual(answer);
    expect(await far.rows("select 3 as three")).toEqual([{ three: 3 }]);
    await far.stop();
    await proxy.stop();
  });

  it("accept no statement once they are closed", async () => {
    await backends(3);
    await pipelined.stop();
    await expect(backend()).rejects.toThrow(/closed/);
  });
});
