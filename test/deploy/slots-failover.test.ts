import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { openConnection } from "../../src/database/pool/connection.js";
import { createSystemClock } from "../../src/node/clock.js";
import { newMessageId } from "../../src/protocol/identifiers.js";
import { call } from "../support/api.js";
import { type RunningCommand, runCommand, startCommand } from "../support/command.js";
import { announcement, demand, newDevice, type TestDevice } from "../support/device.js";
import { fetchPackage, newPackages, upload } from "../support/key-packages.js";
import { isMissing } from "../support/programs.js";
import type { TestRelay } from "../support/relay.js";
import { newSlot, takingOf } from "../support/slots.js";
import { openDeviceStream, type TestStream } from "../support/stream.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import { until } from "../support/until.js";
import { type DatabasePair, type Machine, openDatabasePair } from "./database-pair.js";

// A standby that is promoted may lack the last commits. A receipt binds a group to a slot that is gone; streams have read further than
// their queues go, and may be unknown; versions of copies in memory come again with other content.

const domain = "relay.test";
const patience = { interval: 100 };

describe.skipIf(isMissing("pg_basebackup"))("commit slots, streams and copies in memory after a failover", () => {
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
  });
  afterAll(async () => {
    await end();
    await proxy.stop();
    await pair.stop();
  });

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

  const rename = async (name: string): Promise<void> => {
    await ask(`update settings set value = to_jsonb('${name}'::text) where key = 'server.server_name'`);
    await ask("update settings_version set version = version + 1");
  };
  const followed = async (primary: Machine, standby: Machine): Promise<void> => {
    const lsn = await pair.ask(primary, "select pg_current_wal_lsn()");
    await until(
      async () => (await pair.ask(standby, `select pg_last_wal_replay_lsn() >= '${lsn}'`)).trim() === "t",
      "it follows",
    );
  };
  /** The key package that is given out next, or why there is none. */
  const claimed = async (): Promise<string> => {
    const { status, body } = await fetchPackage(relay, device, device.deviceId);
    return status === 200 ? String(body.key_package) : String(body.error);
  };
  const named = async () => (await call(relay, "getDiscovery")).body.server_name;
  /** Sends to a device until each message is accepted. */
  const send = async (to: TestDevice, count: number): Promise<string[]> => {
    const ids: string[] = [];
    while (ids.length < count) {
      const answer = await device.send(to.address);
      if (answer.status === 202) ids.push(String(answer.body.message_id));
    }
    return ids;
  };
  const received = async (stream: TestStream, count: number): Promise<string[]> => {
    const ids: string[] = [];
    while (ids.length < count) ids.push((await stream.next("message")).data.message_id);
    return ids;
  };

  test("if the standby lacked the last commits: slots have another key, streams begin again, copies are read again", async () => {
    const [key, slot] = [await slotKey(), newSlot()];
    const [early, late] = [await newDevice(relay), await newDevice(relay)];
    const earlyStream = await openDeviceStream(relay.url, early.token);
    for (const id of await send(early, 2)) await earlyStream.ack(id);
    // The standby knows the relay, and is away while the slot is taken.
    await followed("db1", "db2");
    await pair.kill("db2");
    expect(await take(slot, key)).toBe("true");
    const lateStream = await openDeviceStream(relay.url, late.token);
    const [lost = ""] = await send(early, 5);
    await send(late, 2);
    await received(earlyStream, 5);
    await received(lateStream, 2);
    await earlyStream.ack(lost);
    await rename("lost");
    await expect.poll(named, patience).toBe("lost");
    await pair.kill("db1");
    await pair.start("db2");
    await pair.follow("# db2\npg_ctl promote");
    proxy.target.port = pair.ports.db2;
    expect(await firstAnswer(slot, key, "a commit of somebody else")).toBe("SLOTS_RESTARTED");
    await rename("kept");
    const kept = [await send(early, 4), await send(late, 4)];
    // What is acknowledged now had the positions of what is queued.
    for (const message_id of [lost, newMessageId(0, new Uint8Array(10))]) earlyStream.send({ type: "ack", message_id });
    expect([(await earlyStream.closed).code, (await lateStream.closed).code]).toEqual([1012, 1012]);
    const again = [await openDeviceStream(relay.url, early.token), await openDeviceStream(relay.url, late.token)];
    expect(await Promise.all(again.map((stream) => received(stream, 4)))).toEqual(kept);
    for (const stream of again) await stream.close();
    await expect.poll(named, patience).toBe("kept");
    const newKey = await slotKey();
    expect(newKey).not.toBe(key);
    expect(await take(newSlot(), newKey)).toBe("true");
    expect(await replacements()).toBe("1");
    await serving.printed(/commits did not wait for/);
  });

  test("keep their key, and every slot, if commits waited for the standby, also for a relay that starts then", async () => {
    await pair.follow("# db1\nrm");
    await expect.poll(() => pair.follow("# db2\npsql"), patience).toContain("db1|sync");
    await until(
      async () => String((await ask("select synchronous::text as value from slot_key_database"))[0]?.value) === "true",
      "the relay has noticed that commits wait",
    );
    const [key, slot, later] = [await slotKey(), newSlot(), newSlot()];
    expect(await take(slot, key)).toBe("true");
    const packages = newPackages(2);
    demand(await upload(relay, device, { packages }));
    expect(await claimed()).toBe(packages[0]);
    await pair.kill("db2");
    await pair.follow("# db2\npg_ctl promote", { swapped: true });
    proxy.target.port = pair.ports.db1;
    expect(await firstAnswer(slot, key)).toBe("true");
    expect(await take(slot, key, "a commit of somebody else")).toBe("false");
    await end();
    await serve();
    expect([await slotKey(), await take(later, key)]).toEqual([key, "true"]);
    expect(await claimed()).toBe(packages[1]);
    expect(await replacements()).toBe("1");
  });

  test("if commits did not wait, the page's order gives no key package to a second device", async () => {
    await pair.follow("# db1\nrm", { swapped: true });
    const packages = newPackages(2);
    demand(await upload(relay, device, { packages }));
    await followed("db1", "db2");
    await pair.kill("db2");
    const given = await claimed();
    expect(packages).toContain(given);
    await pair.kill("db1");
    await end();
    await pair.start("db2");
    await pair.follow("# db2\npg_ctl promote");
    proxy.target.port = pair.ports.db2;
    expect(await runCommand(["after-restore"], env)).toMatchObject({ code: 0 });
    await serve();
    device.token = demand(
      await call(relay, "announceWithProof", { body: announcement(relay, device) }),
    ).body.access_token;
    expect(await claimed()).toBe("NO_KEY_PACKAGES");
    const fresh = newPackages(1);
    demand(await upload(relay, device, { packages: fresh }));
    expect(await claimed()).toBe(fresh[0]);
  });
});
