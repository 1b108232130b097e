import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "../../src/platform/database/migrate.js";
import { type Balancer, startBalancer } from "../nodes/balancer.js";
import { listen, newClient, sendText } from "../sdk/harness.js";
import { runCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { type Release, type RunningRelease, unpackRelease } from "./release.js";

/** The version before this one. */
const previous = "0050-backups";
const patience = 300_000;
const senders = 3;

const masterKey = randomBytes(32).toString("hex");
const laterStep = { name: "9999-of-a-later-version", up: async () => undefined };

let database: TestDatabase;
let release: Release;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  release = await unpackRelease(previous);
  env = {
    DATABASE_URL: database.url,
    MASTER_KEY: masterKey,
    DOMAIN: "relay.test",
    BASE_URL: "http://relay.test",
    PORT: "0",
    LOG_LEVEL: "error",
    RECONNECT_SPREAD_SECONDS: "1",
    FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "100",
    FIRST_ANNOUNCEMENTS_PER_IP_DAY: "100",
    SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
    SEED_RATE_LIMITING_ENABLED: "false",
  };
}, patience);
afterAll(async () => {
  await release.remove();
  await database.drop();
});

const portOf = ({ url }: { url: string }): number => Number(new URL(url).port);

describe("an upgrade of a relay with two nodes", { timeout: patience }, () => {
  let nodes: (RunningRelease | TestRelay)[];
  let balancer: Balancer;

  beforeAll(async () => {
    nodes = [await release.serve(env), await release.serve(env)];
    balancer = await startBalancer(nodes.map(portOf));
  }, patience);
  afterAll(async () => {
    await balancer?.stop();
    for (const node of nodes ?? []) await node.stop();
  });

  const startPresent = () =>
    startRelay({ databaseUrl: database.url, masterKey, reconnectSpreadSeconds: 1 }, { goesByDatabase: true });

  test("one node after the other: both versions serve at once, no call fails, no message is lost", async () => {
    const target = { url: balancer.url, config: { domain: "relay.test" }, clock: { nowMillis: Date.now } };
    const relay = target as unknown as TestRelay;
    const recipient = await newClient(relay);
    const clients = [];
    for (let i = 0; i < senders; i++) clients.push(await newClient(relay));
    const listener = listen(recipient);
    const sent: string[] = [];
    let isOver = false;
    const sending = clients.map(async (client, i) => {
      for (let n = 0; !isOver; n++) {
        const text = `${i}-${n}`;
        await sendText(client, recipient, text);
        sent.push(text);
      }
    });
    const allWell = Promise.all(sending);
    allWell.catch(() => undefined);
    const more = async (): Promise<void> => {
      const before = sent.length;
      await expect.poll(() => sent.length, { timeout: 90_000 }).toBeGreaterThan(before + 10);
    };

    for (const [at, old] of [...nodes].entries()) {
      await more();
      const next = await startPresent();
      balancer.ports = [...nodes, next].map(portOf);
      // For a while, nodes of both versions have clients.
      await more();
      nodes[at] = next;
      balancer.ports = nodes.map(portOf);
      expect(await old.stop(), "the old version ends in order").toBe(0);
    }
    await more();
    isOver = true;
    await allWell;
    await listener.until(({ texts }) => sent.every((text) => texts.includes(text)));
    await listener.receiving.stop();
  });
});

describe("a downgrade", { timeout: patience }, () => {
  test("is refused by every command that works on the database, with the way back, and changes nothing", async () => {
    await migrate(database.db);
    await database.db.raw("insert into schema_migrations (name) values (?)", [laterStep.name]);
    const stored = await database.db.raw("select count(*)::int as keys from signing_keys");
    for (const command of [["serve"], ["migrate"], ["keys", "rotate"], ["status"], ["backup", "/nowhere/file"]]) {
      const { code, stdout, stderr } = await runCommand(command, env);
      expect({ code, stdout }, command.join(" ")).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(laterStep.name);
      expect(stderr).toContain("restore a backup from before the upgrade (docs/how-to/upgrade.md)");
    }
    expect((await database.db.raw("select count(*)::int as keys from signing_keys")).rows).toEqual(stored.rows);
  });

  test("is refused by the version before, as soon as it is to start again", async () => {
    await expect(release.serve(env)).rejects.toThrow(/newer version of the relay/);
  });
});
