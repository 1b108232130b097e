import { type Config, loadConfig } from "../../src/composition/config.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { startRelay as start, type TestRelay } from "../support/relay.js";

/** A relay whose registration is as strict as out of the box, and a look into its database. */
export interface StrictRelay extends TestRelay {
  db: Database;
}

const { challengesPerIpHour, firstAnnouncementsPerIpHour, firstAnnouncementsPerIpDay } = loadConfig({});
const strict: Partial<Config> = {
  challengesPerIpHour,
  firstAnnouncementsPerIpHour,
  firstAnnouncementsPerIpDay,
  // So that a test can come from any network address.
  trustedProxies: ["127.0.0.1/32"],
};
const seeds = {
  SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "true",
  SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "100",
};

/** Starts a relay that asks for (easy) proofs and keeps to the limits per network address. */
export async function startRelay(overrides: Partial<Config> = {}): Promise<StrictRelay> {
  const relay = await start({ ...strict, ...overrides, seeds: { ...seeds, ...overrides.seeds } });
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  const stop = async () => {
    await db.close();
    await relay.stop();
  };
  return { ...relay, db, stop };
}
