import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { openConnection } from "../../src/database/pool/connection.js";
import { createSystemClock } from "../../src/node/clock.js";
import { call } from "../support/api.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { isMissing } from "../support/programs.js";
import type { TestRelay } from "../support/relay.js";
import { newSlot, takingOf } from "../support/slots.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import { until } from "../support/until.js";
import { type DatabasePair, openDatabasePair } from "./database-pair.js";

// A receipt binds a group to a slot. A standby that is promoted may lack the slot.

const domain = "relay.test";

describe.skipIf(isMissing("pg_basebackup"))("commit slots after a failover", () => {
  let pair: DatabasePair;
  /** Leads to the server that takes writes, as HAProxy does where this is in use. */
  let proxy: TcpProxy;
  let url: string;
  let env: Record<string, string>;
  let serving: RunningCommand;
  let relay: TestRelay;
  let device: TestDevice;

  const serve = async (): Promise<void> => {
    serving = startCommand(["serve"], env);
    const [, at = ""] = await serving.seen(/ at (http:\S+)/);
    relay = { url: at, config: loadConfig(env), clock: createSystemClock() } as unknown as TestRelay;
  };
  const end = async (): Promise<void> => {
    serving.kill("SIGTERM");
    await serving.ended;
  };
  beforeAll(async () => {
    pair = await openDatabasePair();
    await pair.follow("# db1\ninitdb");
    await pair.follow("# db2\npg_basebackup");
    proxy = await startTcpProxy(pair.ports.db1);
    url = `postgres://relay:secret@127.0.0.1:${proxy.port}/relay`;
    env = {
      DATABASE_URL: url,
      ...{ MASTER_KEY: randomBytes(32).toString("hex"), DOMAIN: domain, PORT: "0", LOG_LEVEL: "warn" },
      SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
    };
    await serve();
    device = await newDevice(relay);
  }, 240_000);
  afterAll(async () => {
    await end();
    await proxy.stop();
    await pair.stop();
  }, 240_000);

  const slotKey = async () => (await call(relay, "getDiscovery")).body.slots?.key ?? "";
  const take = async (slot: string, key: string, content = "a commit") => {
    const body = takingOf(slot, { content: Buffer.from(content).toString("base64"), slot_key: key }, domain);
    const answer = await call(relay, "takeSlot", { token: device.token, params: { slot }, body });
    return answer.status === 200 ? String(answer.body.won) : String(answer.body.error);
  };
  /** What requests are told once the database takes writes again. Nobody may be told otherwise before. */
  const firstAnswer = async (slot: string, key: string, content?: string): Promise<string> => {
    let told = "";
    await until(async () => {
      told = await take(slot, key, content);
      return told !== "DATABASE_UNAVAILABLE";
    }, "the database takes writes again");
    return told;
  };
  const ask = async (sql: string) => {
    const connection = await openConnection(url);
    return connection.rows<{ value: string }>(sql).finally(() => connection.close());
  };
  const replacements = async () =>
    (await ask("select count(*)::text as value from audit_entries where action = 'slot_key_replaced'"))[0]?.value;

  test("have another key if the standby lacks a slot whose receipt was given out", async () => {
    const [key, slot] = [await slotKey(), newSlot()];
    // The standby knows the relay, and is away while the slot is taken.
    const lsn = await pair.ask("db1", "select pg_current_wal_lsn()");
    await until(
      async () => (await pair.ask("db2", `select pg_last_wal_replay_lsn() >= '${lsn}'`)).trim() === "t",
      "it follows",
    );
    await pair.kill("db2");
    expect(await take(slot, key)).toBe("true");
    await pair.kill("db1");
    await pair.start("db2");
    await pair.follow("# db2\npg_ctl promote");
    proxy.target.port = pair.ports.db2;
    expect(await firstAnswer(slot, key, "a commit of somebody else")).toBe("SLOTS_RESTARTED");
    const newKey = await slotKey();
    expect(newKey).not.toBe(key);
    expect(await take(newSlot(), newKey)).toBe("true");
    expect(await replacements()).toBe("1");
    await serving.printed(/commits did not wait for/);
  }, 240_000);

  test("keep their key, and every slot, if commits waited for the standby, also for a relay that starts then", async () => {
    await pair.follow("# db1\nrm");
    expect(await pair.follow("# db2\npsql")).toContain("db1|sync");
    await until(
      async () => String((await ask("select synchronous::text as value from slot_key_database"))[0]?.value) === "true",
      "the relay has noticed that commits wait",
    );
    const [key, slot, later] = [await slotKey(), newSlot(), newSlot()];
    expect(await take(slot, key)).toBe("true");
    await pair.kill("db2");
    await pair.follow("# db2\npg_ctl promote", { swapped: true });
    proxy.target.port = pair.ports.db1;
    expect(await firstAnswer(slot, key)).toBe("true");
    expect(await take(slot, key, "a commit of somebody else")).toBe("false");
    await end();
    await serve();
    expect([await slotKey(), await take(later, key)]).toEqual([key, "true"]);
    expect(await replacements()).toBe("1");
  }, 240_000);
});
