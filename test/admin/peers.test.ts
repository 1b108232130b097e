import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { adminKeys, logIn, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";

const daySeconds = 86_400;

let relay: TestRelay;
let admin: TestAdmin;
let viewer: TestAdmin;
let db: Database;

beforeAll(async () => {
  const keys = adminKeys("view_metrics");
  ({ relay, admin } = await startAdministered({ adminList: keys.seed }));
  viewer = await logIn(relay, keys);
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  const now = relay.clock.nowSeconds();
  // Traffic of a week cannot be made in a test, so the tables that count it are filled.
  for (const [age, host] of ["good.example", "rude.example", "quiet.example"].entries()) {
    await db.run(
      `insert into federation_peers (host, domain, registrable_domain, first_contact, last_activity, delivered_total)
       values (:host, :host, :host, :first::bigint, :last::bigint, 5000)`,
      { host, first: now - 90 * daySeconds, last: now - age },
    );
  }
  const day = Math.floor(now / daySeconds);
  const traffic = { day, good: "good.example", rude: "rude.example" };
  await db.run(
    `insert into federation_peer_days (host, day, delivered, rejected)
     values (:good, :day::int, 1000, 0), (:rude, :day::int, 1000, 500)`,
    traffic,
  );
  await db.run("insert into federation_peer_blocklists (publisher, fetched_at) values ('good.example', :now::bigint)", {
    now,
  });
  await db.run(
    "insert into federation_peer_blocklist_entries values ('good.example', 'rude.example'), ('good.example', 'b.example')",
  );
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

describe("the list of peers", () => {
  test("has scores and what was deducted for what, the most recently active first", async () => {
    const { peers, has_more } = demand(await call(relay, "listPeers", { token: admin.token })).body;
    expect(has_more).toBe(false);
    expect(peers).toMatchObject([
      {
        server_domain: "good.example",
        reputation: { reputation_score: 1, metrics: { messages_delivered: 1000 } },
        deductions: { spam_reports: 0, rejected_messages: 0, block_lists: 0 },
      },
      {
        server_domain: "rude.example",
        reputation: { federated_blocklist_count: 1, federation_status: "active" },
        deductions: { spam_reports: 0, rejected_messages: 0.15, block_lists: 0.05 },
      },
      { server_domain: "quiet.example" },
    ]);
    expect(peers[1]?.reputation.reputation_score).toBeCloseTo(0.8);
  });

  test("comes in pages", async () => {
    const query = { limit: 1, offset: 1 };
    const page = demand(await call(relay, "listPeers", { token: admin.token, query })).body;
    expect(page).toMatchObject({ has_more: true, next_offset: 2, peers: [{ server_domain: "rude.example" }] });
  });
});

describe("the block lists of peers", () => {
  test("are listed, and each can be read", async () => {
    const { lists } = demand(await call(relay, "listPeerBlocklists", { token: admin.token })).body;
    expect(lists).toMatchObject([{ server_domain: "good.example", server_count: 2 }]);
    const read = (server_domain: string) =>
      call(relay, "getPeerBlocklist", { token: admin.token, params: { server_domain } });
    expect(demand(await read("good.example")).body.servers).toEqual(["b.example", "rude.example"]);
    expect(await read("rude.example")).toMatchObject({ status: 404, body: { error: "NOT_FOUND" } });
    expect(await read("relay.test")).toMatchObject({ status: 400, body: { error: "INVALID_ADDRESS" } });
  });

  test("and the list of peers need block_federation", async () => {
    const { token } = viewer;
    const params = { server_domain: "good.example" };
    for (const operation of ["listPeers", "listPeerBlocklists", "getPeerBlocklist"] as const)
      expect((await call(relay, operation, { token, params })).status).toBe(403);
  });
});
