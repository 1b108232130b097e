import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestAuthority, type TestAuthority } from "../../scripts/test-ca/authority.js";
import { dayMillis, daySeconds } from "../../src/protocol/units.js";
import { call } from "../support/api.js";
import { startRelay, type TestRelay } from "../support/relay.js";

let authority: TestAuthority;
let folder: string;
beforeAll(async () => {
  authority = await createTestAuthority(new Date());
  folder = await mkdtemp(path.join(tmpdir(), "mls-relay-capabilities-"));
});
afterAll(() => rm(folder, { recursive: true }));

const file = (name: string) => path.join(folder, `${name}.pem`);
async function withCertificate(
  hosts: readonly string[],
  check: (relay: TestRelay) => Promise<void>,
  federation: "true" | "false" = "true",
): Promise<void> {
  const { cert, key } = await authority.issue({ hosts, notAfter: new Date(Date.now() + 30 * dayMillis) });
  await writeFile(file("cert"), cert);
  await writeFile(file("key"), key, { mode: 0o600 });
  const relay = await startRelay({
    federationCertFile: file("cert"),
    federationKeyFile: file("key"),
    seeds: { SEED_FEDERATION_ENABLED: federation },
  });
  await check(relay).finally(() => relay.stop());
}
async function capabilities(relay: TestRelay) {
  const { federated_slots, federated_key_packages, federated_reports } = (await call(relay, "getDiscovery")).body
    .capabilities;
  return [federated_slots, federated_key_packages, federated_reports];
}
const all = [true, true, true];
const none = [false, false, false];

test("slots, key packages and reports for other relays are offered until the certificate expires, and again after its renewal", () =>
  withCertificate(["relay.test"], async (relay) => {
    expect(await capabilities(relay)).toEqual(all);
    relay.clock.advance(31 * daySeconds);
    expect(await capabilities(relay)).toEqual(none);
    const { cert, key } = await authority.issue({ hosts: ["relay.test"] });
    await writeFile(file("key"), key);
    await writeFile(file("cert"), cert);
    await expect.poll(() => capabilities(relay)).toEqual(all);
  }));

test("a certificate of another name offers none of them", () =>
  withCertificate(["elsewhere.test"], async (relay) => expect(await capabilities(relay)).toEqual(none)));

test("nor does a valid one while federation is off", () =>
  withCertificate(["relay.test"], async (relay) => expect(await capabilities(relay)).toEqual(none), "false"));
