import { readFile } from "node:fs/promises";
import pg from "pg";
import { createManualClock, type ManualClock } from "../../src/platform/cluster/clock.js";
import type { Variant } from "../infopackages/fixture.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

/** What the clients of a stored relay know. */
export interface UpgradeFixture {
  /** When it was stored, in Unix seconds. */
  now: number;
  masterKey: string;
  devices: Readonly<Record<"sender" | "recipient" | "blocked", KnownDevice>>;
  /** In their order; all were handed out. */
  sent: readonly { message_id: string }[];
  acknowledged: readonly string[];
  keyPackages: readonly string[];
  /** The one that was handed out. */
  fetched: string;
  /** What later fixtures hold besides. */
  more?: MoreStored;
}

export interface MoreStored {
  /** Messages of the recipient that wait for another server, in their order. */
  outgoing: {
    domain: string;
    sent: readonly { message_id: string; mls_ciphertext: string; recipient_address: string }[];
  };
  /** Each may be read twice and was read once. */
  infoPackages: readonly { variant: Variant; segment: string; ciphertext?: string; revocationToken?: string }[];
  provisioning: { id: string; pollToken: string; blob: string };
  /** Handed out where no other package is left. */
  lastResort: string;
}

export interface KnownDevice {
  deviceId: string;
  publicKey: string;
  /** Hex. */
  secretKey: string;
  address: string;
  token: string;
}

/** What `scripts/make-upgrade-fixture.ts` stored under this name, in a database of its own, and the time it was stored at. */
export async function loadFixture(
  name: string,
): Promise<{ database: TestDatabase; clock: ManualClock; fixture: UpgradeFixture }> {
  const read = (ending: string) => readFile(new URL(`${name}.${ending}`, import.meta.url), "utf8");
  const fixture = JSON.parse(await read("json")) as UpgradeFixture;
  const database = await createTestDatabase({ empty: true });
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(await read("sql"));
  await client.end();
  const begun = Date.now();
  const nowMillis = () => fixture.now * 1000 + Date.now() - begun;
  const clock = createManualClock({ nowMillis, nowSeconds: () => Math.floor(nowMillis() / 1000) });
  return { database, clock, fixture };
}
