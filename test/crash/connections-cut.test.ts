import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import { expectNothingLost, expectOnlyUnavailability, flow, patience, rounds } from "./rounds.js";
import { startTraffic } from "./traffic.js";

const cutsPerRound = 10;

let database: TestDatabase;
let proxy: TcpProxy;
let relay: TestRelay;

beforeAll(async () => {
  database = await createTestDatabase();
  const direct = new URL(database.url);
  proxy = await startTcpProxy(Number(direct.port));
  const databaseUrl = new URL(database.url);
  databaseUrl.host = `127.0.0.1:${proxy.port}`;
  relay = await startRelay({ databaseUrl: databaseUrl.href, seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
});
afterAll(async () => {
  await relay.stop();
  await proxy.stop();
  await database.drop();
});

test(
  "connections to the database, cut at any moment, lose nothing and bring nothing back",
  async () => {
    const traffic = await startTraffic(relay);
    for (let round = 0; round < rounds; round++) {
      for (let cut = 0; cut < cutsPerRound; cut++) {
        await sleep(Math.random() * 150);
        // Every other time the answer to what was committed is what gets lost.
        proxy.answers = cut % 2 === 0 ? "hold" : "pass";
        await sleep(Math.random() * 30);
        proxy.cut();
        proxy.answers = "pass";
      }
      await flow(traffic);
      expect(proxy.connections()).toBeGreaterThan(0);
    }
    await expectNothingLost(traffic);
    expectOnlyUnavailability(traffic);
  },
  patience,
);
