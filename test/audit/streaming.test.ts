import { once } from "node:events";
import { request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { collectGarbage } from "../support/garbage.js";
import type { TestRelay } from "../support/relay.js";

// LONG=1 exports a million entries, as the log may hold; without it enough that a whole would show in memory.
const count = process.env["LONG"] === "1" ? 1_000_000 : 60_000;
const megabyte = 1_000_000;
const piecesPerLook = 40;
let relay: TestRelay;
let admin: TestAdmin;
let db: Database;

beforeAll(async () => {
  ({ relay, admin } = await startAdministered());
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2, statementTimeoutSeconds: 300 });
  await db.run(
    `insert into audit_entries (id, timestamp, action, admin, target, details, ip_address, user_agent)
     select 'audit_' || lpad(to_hex(n), 32, '0'), :now::bigint - (:count::bigint - n) / 20, 'device_verified',
            repeat('a', 64), repeat('b', 64), jsonb_build_object('reason', repeat('x', 200)), '203.0.113.7', 'agent'
     from generate_series(1, :count::bigint) as n`,
    { now: relay.clock.nowSeconds(), count },
  );
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

/** Opens a download and leaves the reading of it to the caller. */
async function open(query: string) {
  const url = new URL(`/admin/v1/audit/export?since=0&action=device_verified&${query}`, relay.url);
  const sent = request(url, { headers: { authorization: `Bearer ${admin.token}` } });
  sent.end();
  const [response] = (await once(sent, "response")) as [import("node:http").IncomingMessage];
  return response;
}

describe("a long export", () => {
  it.each(["csv", "json"])("as %s is complete, and takes no more memory than a short one", async (format) => {
    const response = await open(`format=${format}`);
    let lines = 0;
    let pieces = 0;
    let max = 0;
    const before = memory();
    for await (const piece of response) {
      for (const byte of piece as Buffer) if (byte === 10) lines += 1;
      pieces += 1;
      if (pieces % piecesPerLook === 0) max = Math.max(max, memory() - before);
    }
    if (count === 1_000_000) console.log(`${format}: ${lines} lines, at most ${Math.round(max / megabyte)} MB more`);
    expect(response.complete).toBe(true);
    expect(lines).toBe(count + (format === "csv" ? 1 : 2));
    // 60,000 entries are 25 MB as text, and several times that as objects; a million are 420 MB.
    expect(max).toBeLessThan(20 * megabyte);
  });

  it("holds no connection to the database while its reader is slow", async () => {
    const response = await open("format=csv");
    await once(response, "readable");
    const busy = () =>
      db.rows(
        `select query from pg_stat_activity
         where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
           and state in ('active', 'idle in transaction') and query ilike '%audit_entries%'`,
      );
    // The first pages fill the buffers between the two; after that nothing is asked of the database.
    let quiet = 0;
    for (let looks = 0; looks < 200 && quiet < 20; looks++) {
      await wait(50);
      quiet = (await busy()).length === 0 ? quiet + 1 : 0;
    }
    expect(quiet).toBe(20);
    expect(response.complete).toBe(false);
    response.destroy();
  });

  it("that fails on the way ends with a broken connection", async () => {
    const response = await open("format=csv");
    await once(response, "readable");
    await db.run("alter table audit_entries rename to hidden");
    try {
      await expect(
        (async () => {
          for await (const _ of response);
        })(),
      ).rejects.toThrow("aborted");
      expect(response.complete).toBe(false);
    } finally {
      await db.run("alter table hidden rename to audit_entries");
    }
  });
});

/** What the heap and the buffers beside it hold that is still in use. */
function memory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
