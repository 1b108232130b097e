import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { createSystemClock } from "../../src/node/clock.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { expectNothingLost, flow, patience, rounds } from "./rounds.js";
import type { Target } from "./sending.js";
import { startTraffic } from "./traffic.js";

let database: TestDatabase;
let relay: RunningCommand | undefined;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  env = {
    DATABASE_URL: database.url,
    MASTER_KEY: randomBytes(32).toString("hex"),
    DOMAIN: "relay.test",
    PORT: "0",
    LOG_LEVEL: "error",
    SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
    SEED_RATE_LIMITING_ENABLED: "false",
    FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000",
    FIRST_ANNOUNCEMENTS_PER_IP_DAY: "1000",
  };
});
afterAll(async () => {
  relay?.kill("SIGKILL");
  await relay?.ended;
  await database.drop();
});

async function start(): Promise<string> {
  relay = startCommand(["serve"], env);
  const [, url = ""] = await relay.seen(/ at (http:\S+)/);
  return url;
}

test(
  "a node that is killed again and again loses nothing and brings nothing back",
  async () => {
    const target = { url: await start(), config: loadConfig(env), clock: createSystemClock() } as unknown as Target;
    const traffic = await startTraffic(target);
    for (let round = 0; round < rounds; round++) {
      await flow(traffic);
      relay?.kill("SIGKILL");
      expect(await relay?.ended).toMatchObject({ signal: "SIGKILL" });
      target.url = await start();
    }
    await flow(traffic);
    await expectNothingLost(traffic);
  },
  patience,
);
