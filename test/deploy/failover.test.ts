import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { constantsEnvironment, loadConfig } from "../../src/composition/config.js";
import { createSystemClock } from "../../src/node/clock.js";
import { missing } from "../crash/ledger.js";
import type { Target } from "../crash/sending.js";
import { newPatientDevice, startTraffic, type Traffic } from "../crash/traffic.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { isMissing } from "../support/programs.js";
import { until } from "../support/until.js";
import { type DatabasePair, openDatabasePair } from "./database-pair.js";

const patience = { interval: 100 };
const statementTimeoutSeconds = 3;

describe.skipIf(isMissing("haproxy") || isMissing("pg_basebackup"))("the manual's page about failover", () => {
  let pair: DatabasePair;
  let env: Record<string, string>;
  let relay: RunningCommand | undefined;
  let traffic: Traffic;

  beforeAll(async () => {
    pair = await openDatabasePair();
    await pair.follow("# db1\ninitdb");
    await pair.follow("# db2\npg_basebackup");
    // On a busy machine, the server takes a moment to read its new settings.
    await until(async () => (await pair.follow("# db1\npsql")).includes("db2|sync"), "the standby is synchronous");
    await pair.startHaproxy();
    env = {
      DATABASE_URL: pair.url,
      ...constantsEnvironment({ databaseStatementTimeoutSeconds: statementTimeoutSeconds }),
      ...{ MASTER_KEY: randomBytes(32).toString("hex"), DOMAIN: "relay.test", PORT: "0", LOG_LEVEL: "error" },
      SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
      // Counted, in a table that a standby does not have.
      SEED_PROGRESSIVE_TRUST_ENABLED: "false",
      SEED_PROGRESSIVE_TRUST_TRUSTED_TIER_LIMIT: "1000000",
      FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000",
    };
    let url = "";
    ({ relay, url } = await startServing());
    traffic = await startTraffic({ url, config: loadConfig(env), clock: createSystemClock() } as unknown as Target);
  });
  afterAll(async () => {
    await traffic?.finish().catch(() => undefined);
    relay?.kill("SIGTERM");
    await relay?.ended;
    await pair?.stop();
  });

  /** Starts it again if it ends, as systemd does: on a busy machine, HAProxy may consider the database down for a moment. */
  const startServing = async (more: Record<string, string> = {}): Promise<{ relay: RunningCommand; url: string }> => {
    const deadline = performance.now() + 300_000;
    for (;;) {
      const relay = startCommand(["serve"], { ...env, ...more });
      try {
        const [, url = ""] = await relay.seen(/ at (http:\S+)/);
        return { relay, url };
      } catch (problem) {
        relay.kill("SIGTERM");
        await relay.ended;
        if (performance.now() > deadline) throw problem;
      }
    }
  };
  const flow = async () => {
    const before = traffic.ledger.accepted.size;
    await expect.poll(() => traffic.ledger.accepted.size, patience).toBeGreaterThan(before + 50);
  };
  const outage = async (act: () => Promise<void>) => {
    await flow();
    const startedAt = performance.now();
    await act();
    const { size } = traffic.ledger.accepted;
    await expect.poll(() => traffic.ledger.accepted.size, patience).toBeGreaterThan(size);
    console.log(`the outage took ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    await flow();
  };

  test("the primary is killed under load, the standby is promoted, and the old primary becomes its standby", async () => {
    await outage(async () => {
      await pair.kill("db1");
      await pair.follow("# db2\npg_ctl promote");
    });
    await pair.follow("# db1\nrm");
    await expect.poll(() => pair.follow("# db2\npsql"), patience).toContain("db1|sync");
    await flow();
  });

  test("while the standby is lost, sends are refused and the relay is not ready, whatever time a statement may take", async () => {
    const { relay: patient, url } = await startServing(
      constantsEnvironment({ databaseStatementTimeoutSeconds: 3_600 }),
    );
    const device = await newPatientDevice({
      url,
      config: loadConfig(env),
      clock: createSystemClock(),
    } as unknown as Target);
    const send = async () => {
      const { status, body } = await device.send(device.address);
      return body.error ?? status;
    };
    const ready = async () => (await fetch(`${url}/readyz`)).status;
    await expect.poll(send, patience).toBe(202);
    await expect.poll(ready, patience).toBe(200);
    await pair.kill("db1");
    await expect.poll(send, patience).toBe("DATABASE_UNAVAILABLE");
    await expect.poll(ready, patience).toBe(503);
    await pair.start("db1");
    await expect.poll(ready, patience).toBe(200);
    await expect.poll(send, patience).toBe(202);
    patient.kill("SIGTERM");
    await patient.ended;
    await flow();
  });

  test("the standby is lost, then the primary, and the standby is promoted: nothing was confirmed that only one of them had", async () => {
    await outage(async () => {
      await pair.kill("db1");
      const time = async () => Number(await pair.ask("db2", "select extract(epoch from clock_timestamp())"));
      const killedAt = await time();
      // Longer than a statement may take: what waits for the standby must not be confirmed then.
      await expect.poll(time, patience).toBeGreaterThan(killedAt + 2 * statementTimeoutSeconds);
      await pair.kill("db2");
      await pair.start("db1");
      await pair.follow("# db2\npg_ctl promote", { swapped: true });
    });
    const lost = await traffic.finish();
    const { cameBack, statuses } = traffic.ledger;
    expect({ lost, missing: missing(traffic.ledger), cameBack }).toEqual({ lost: [], missing: [], cameBack: [] });
    expect([...statuses.keys()].filter((status) => ![0, 200, 202, 503].includes(status))).toEqual([]);
  });
});
