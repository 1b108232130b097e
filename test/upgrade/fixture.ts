import { readFile } from "node:fs/promises";

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
}

export interface KnownDevice {
  deviceId: string;
  publicKey: string;
  /** Hex. */
  secretKey: string;
  address: string;
  token: string;
}

/** What `scripts/make-upgrade-fixture.ts` stored under this name: statements, and what clients know. */
export async function readFixture(name: string): Promise<{ sql: string; fixture: UpgradeFixture }> {
  const read = (ending: string) => readFile(new URL(`${name}.${ending}`, import.meta.url), "utf8");
  return { sql: await read("sql"), fixture: JSON.parse(await read("json")) as UpgradeFixture };
}
