import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminClient, type AdminOptions, connectAdmin } from "../../src/client/admin.js";
import { deviceKeysOf } from "../../src/client/crypto/keys.js";
import type { Runtime } from "../../src/client/runtime/runtime.js";
import { type AdminKeys, adminKeys } from "../support/admin.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const listed = adminKeys("all");
let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ adminList: listed.seed, adminTokenSeconds: 1_000, adminSessionSeconds: 3_000 });
});
afterAll(() => relay.stop());

function clientOf({ secretKey }: AdminKeys, options: Partial<AdminOptions> = {}): Promise<AdminClient> {
  const { runtime, ...rest } = options;
  const onTime = { nowMillis: () => relay.clock.nowMillis(), ...runtime };
  const relayOptions = { url: relay.url, domain: relay.config.domain, keys: deviceKeysOf(secretKey) };
  return connectAdmin({ ...relayOptions, ...rest, runtime: onTime });
}

function counting(path: string): { fetch: Runtime["fetch"]; count: number } {
  const line = {
    count: 0,
    fetch: (url: string, init: RequestInit) => {
      if (new URL(url).pathname === path) line.count++;
      return globalThis.fetch(url, init);
    },
  };
  return line;
}

test("an administrator logs in, calls what administrators may, and logs out", async () => {
  const admin = await clientOf(listed);
  expect(await admin.login()).toMatchObject({ permissions: ["all"], level: "admin" });
  expect((await admin.call("getConfig")).server.protocol_version).toBe("1.0");
  const session = admin.session();
  await admin.logout();
  await expect(admin.call("getConfig")).rejects.toThrow("no session");
  const left = await clientOf(listed, { session });
  await left.call("getConfig");
  expect(left.session()?.accessToken).not.toBe(session?.accessToken);
});

test("somebody who is not on the list is refused", async () => {
  const stranger = await clientOf(adminKeys("all"));
  await expect(stranger.login()).rejects.toMatchObject({ error: "INVALID_ADMIN", status: 401 });
});

test("a session is prolonged as long as it may be, and then begun anew", async () => {
  const logins = counting("/admin/v1/auth");
  const admin = await clientOf(listed, { runtime: { fetch: logins.fetch } });
  await admin.login();
  for (let passed = 0; passed < 4_000; passed += 800) {
    relay.clock.advance(800);
    await admin.call("getConfig");
  }
  expect(logins.count).toBe(2);
});

test("an administrator whose clock is wrong learns the time from the relay", async () => {
  const admin = await clientOf(listed, { runtime: { nowMillis: () => relay.clock.nowMillis() + 900_000 } });
  expect(await admin.login()).toMatchObject({ level: "admin" });
});
