import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runHere } from "../support/command.js";
import { tableOf } from "../support/table.js";
import { type StrictRelay, startRelay } from "./relay.js";
import { challengeFor, newKeys, prove, randomHex, register } from "./wire.js";

const masterKey = "7a".repeat(32);

let relay: StrictRelay;
let folder: string;
beforeAll(async () => {
  relay = await startRelay({ masterKey });
  folder = await mkdtemp(join(tmpdir(), "mls-relay-cli-"));
});
afterAll(async () => {
  await relay.stop();
  await rm(folder, { recursive: true });
});

const unban = (ip: string) =>
  runHere(["ips", "unban", ip], { DATABASE_URL: relay.databaseUrl, DATA_DIR: folder, MASTER_KEY: masterKey });

it.each([
  ["an address", "203.0.113.7", "203.0.113.7"],
  ["an IPv6 network", "2001:db8:1:2::3", "2001:db8:1:2:ffff::9"],
])("mls-relay ips unban lets %s register again, and leaves an audit entry without the address", async (_, ip, spelled) => {
  const keys = newKeys();
  const proof = await prove((await challengeFor(relay, keys, ip)).body, keys);
  const wrong = { ...proof, output: randomHex(32) };
  expect((await register(relay, keys, { vdf_proof: wrong }, { ip })).body.error).toBe("INVALID_PROOF");
  expect((await register(relay, keys, { vdf_proof: proof }, { ip })).body.error).toBe("IP_BANNED");
  const entries = () => tableOf(relay.db, "audit_entries").where({ action: "ip_unbanned" }).orderBy("id");
  const before = await entries();

  expect(await unban("198.51.100.1")).toMatchObject({ code: 0, stdout: "This address is not banned.\n" });
  expect((await register(relay, keys, { vdf_proof: proof }, { ip })).body.error).toBe("IP_BANNED");
  expect(await unban(spelled)).toMatchObject({ code: 0, stdout: "The ban is lifted.\n" });
  expect((await register(relay, keys, { vdf_proof: proof }, { ip })).status).toBe(200);
  expect(await unban(spelled)).toMatchObject({ code: 0, stdout: "This address is not banned.\n" });

  const [entry, ...more] = (await entries()).slice(before.length);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ admin: null, ip_address: null, user_agent: null, details: {} });
  expect(entry.target).toMatch(/^[0-9a-f]{16,64}$/);
  expect(JSON.stringify(await entries())).not.toContain(ip);
});
