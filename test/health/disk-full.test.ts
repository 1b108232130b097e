import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger, type Logger } from "../../src/platform/logger.js";
import type { AnyRow } from "../support/any-row.js";
import { call } from "../support/api.js";
import { isDistributed } from "../support/backends.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startWatched, type Watched } from "./fixture.js";

const soon = { interval: 100 };
const lines: string[] = [];
const logger: Logger = createLogger({ level: "error", destination: { write: (line) => void lines.push(line) } });

let watched: Watched;
let anna: TestDevice;

beforeAll(async () => {
  watched = await startWatched({ seeds: { SEED_RATE_LIMITING_ENABLED: "false" } }, { logger });
  anna = await newDevice(watched.relay);
  // What PostgreSQL says of a disk without space, from whatever table it is that has to be written.
  await watched.db.run(`
    create function refuse_write() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
});
afterAll(() => watched.stop());

const readyz = async () => (await fetch(`${watched.relay.url}/readyz`)).status;

/** Every table of the relay takes nothing new, but for heartbeats, whose rows are written in place. */
async function fill(isFull: boolean): Promise<void> {
  const rows = await watched.db.rows<AnyRow>("select tablename as name from pg_tables where schemaname = 'public'");
  const statement = (name: string) =>
    isFull
      ? `create trigger disk_is_full before insert on ${name} for each statement execute function refuse_write()`
      : `drop trigger disk_is_full on ${name}`;
  for (const { name } of rows as { name: string }[]) if (name !== "nodes") await watched.db.run(statement(name));
}

// A distributed table takes no triggers.
describe.skipIf(isDistributed)("a full disk of the database", () => {
  it("is named in answers, readiness, health, alerts and the log, and is over when there is room again", async () => {
    await expect.poll(readyz, soon).toBe(200);
    await fill(true);
    try {
      const sent = await anna.send(anna.address);
      expect(sent).toMatchObject({ status: 503, body: { error: "DATABASE_UNAVAILABLE" } });
      expect(sent.body.message).toContain("no space left on its disk");
      expect(Number(sent.headers.get("retry-after"))).toBeGreaterThan(0);
      const asked = await call(watched.relay, "createRegistrationChallenge", { body: { public_key: anna.publicKey } });
      expect(asked).toMatchObject({ status: 503, body: { error: "DATABASE_UNAVAILABLE" } });
      expect(asked.body.message).toContain("no space left on its disk");

      await expect.poll(readyz, soon).toBe(503);
      expect(await (await fetch(`${watched.relay.url}/readyz`)).json()).toMatchObject({ reason: "disk" });
      expect((await fetch(`${watched.relay.url}/healthz`)).status).toBe(200);
      expect(await watched.raised("disk_full")).toMatchObject({ severity: "critical", component: "database" });
      const health = await watched.health();
      expect(health).toMatchObject({ status: "unhealthy", components: { database: { status: "unhealthy" } } });
      expect(health.components.database.error).toMatch(/^No space is left/);
      expect(health.warnings.join()).toContain("No space is left");
      expect(lines.join()).toContain("no space left on the database's disk");
      expect((await anna.poll()).status).toBe(200);
      const { token } = watched.admin();
      expect((await call(watched.relay, "getMetrics", { token })).status).toBe(200);
      const query = { metric: "messages_sent" };
      expect((await call(watched.relay, "getMetricsTimeseries", { token, query })).status).toBe(200);
      expect((await call(watched.relay, "exportMetrics", { token })).status).toBe(200);
      expect((await call(watched.relay, "listAuditEntries", { token })).status).toBe(200);
    } finally {
      await fill(false);
    }
    await expect.poll(readyz, soon).toBe(200);
    await watched.cleared("disk_full");
    expect((await anna.send(anna.address)).status).toBe(202);
    expect((await watched.health()).components.database).not.toHaveProperty("error");
  });
});
