import { afterAll, beforeAll, expect, test } from "vitest";
import type { EmbeddedPostgres } from "../../src/database/embedded/server.js";
import { migrate } from "../../src/database/migrations/migrate.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { ask, createFolder, serverPid, startEmbedded } from "../support/embedded.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { expectNothingLost, expectOnlyUnavailability, flow, patience, rounds } from "./rounds.js";
import { startTraffic } from "./traffic.js";

let place: Awaited<ReturnType<typeof createFolder>>;
let postgres: EmbeddedPostgres;
let relay: TestRelay | undefined;

beforeAll(async () => {
  place = await createFolder(0o711);
  postgres = await startEmbedded(place.folder);
  const db = createDatabase({ url: postgres.url, poolSize: 1 });
  await migrate(db);
  await db.close();
});
afterAll(async () => {
  await relay?.stop();
  await postgres.stop();
  await place.remove();
});

test(
  "PostgreSQL, killed again and again, loses nothing that was accepted and brings nothing back",
  async () => {
    relay = await startRelay({ databaseUrl: postgres.url, seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
    const traffic = await startTraffic(relay);
    for (let round = 0; round < rounds; round++) {
      await flow(traffic);
      const pid = (await serverPid(place.folder)) ?? 0;
      process.kill(pid, "SIGKILL");
      // It is started again by the one that holds a share in it.
      await expect.poll(() => ask(postgres.url, "select 1 as up").catch(() => "down")).toEqual([{ up: 1 }]);
      expect(await serverPid(place.folder)).not.toBe(pid);
    }
    await flow(traffic);
    await expectNothingLost(traffic);
    expectOnlyUnavailability(traffic);
  },
  patience,
);
