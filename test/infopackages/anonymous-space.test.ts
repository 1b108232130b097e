import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { startWatched } from "../health/fixture.js";
import type { AnyRow } from "../support/any-row.js";
import { newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { download, errorOf, revoke, tryUpload, upload } from "./fixture.js";

const mebibyte = 1_048_576;
/** What a package of this many bytes is charged: a quarter of the space. */
const bytes = mebibyte / 4 - 256;
const full = [507, "QUEUE_FULL", 5004];
const nobody = { token: "" };

let relay: TestRelay;
let other: TestRelay;
let db: Database;
beforeAll(async () => {
  const cleanUp = { infoPackageCleanupSeconds: 1, expiryStepRows: 7 };
  const seeds = { SEED_RATE_LIMITING_INFOPACKAGE_UPLOADS_PER_HOUR: "1000" };
  relay = await startRelay({
    infoPackageAnonymousBytes: mebibyte,
    trustedProxies: ["127.0.0.1/32"],
    ...cleanUp,
    seeds,
  });
  other = await startRelay(relay.config, { clock: relay.clock });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
});
afterAll(async () => {
  await db.close();
  await other.stop();
  await relay.stop();
});
beforeEach(async () => {
  await db.run("delete from info_packages where uploader is null");
  await db.run("update info_package_balance set anonymous_bytes = 0");
  await db.run("delete from rate_limits");
});

const quarter = (terms: { ttl?: number; maxUses?: number; ip?: string } = {}, node = relay) =>
  tryUpload(node, nobody, "revocable", { ciphertext: randomBytes(bytes).toString("base64"), ...terms });

async function balance(): Promise<number> {
  return (await db.one<AnyRow>("select anonymous_bytes from info_package_balance"))?.anonymous_bytes;
}

async function charged(): Promise<number> {
  return (await db.one<AnyRow>("select coalesce(sum(charged_bytes), 0) as sum from info_packages"))?.sum;
}

async function fill(terms: { ttl?: number; maxUses?: number } = {}) {
  const packages = [];
  for (let i = 0; i < 4; i++) {
    const ciphertext = randomBytes(bytes).toString("base64");
    packages.push(await upload(relay, nobody, "revocable", { ciphertext, ...terms }));
  }
  expect(errorOf(await quarter())).toEqual(full);
  return packages;
}

describe("info packages without an uploader", () => {
  it("take a bounded space together, over all nodes and concurrent uploads", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => quarter({}, i % 2 ? relay : other)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(errorOf(answer)).toEqual(full);
    expect([await balance(), await charged()]).toEqual([mebibyte, mebibyte]);
  });

  it("neither limit the packages of devices nor are limited by them", async () => {
    await fill();
    const device = await newDevice(relay);
    for (const variant of ["sealed", "plain"] as const) {
      const kept = await upload(relay, device, variant, { maxUses: 1 });
      expect((await download(relay, variant, kept.segment)).status).toBe(200);
    }
    expect(await balance()).toBe(mebibyte);
  });

  it("give their space back when they are revoked", async () => {
    const [first] = await fill();
    expect(
      (await revoke(other, first as NonNullable<typeof first>, { revocationToken: first?.revocationToken })).status,
    ).toBe(200);
    expect((await quarter()).status).toBe(200);
    expect(errorOf(await quarter())).toEqual(full);
  });

  it("give it back with their last use, except for the row that remains", async () => {
    const [first] = await fill({ maxUses: 2 });
    const segment = first?.segment ?? "";
    expect((await download(relay, "revocable", segment)).status).toBe(200);
    expect(await balance()).toBe(mebibyte);
    await Promise.all(Array.from({ length: 5 }, () => download(other, "revocable", segment)));
    expect([await balance(), await charged()]).toEqual([mebibyte - bytes, mebibyte - bytes]);
  });

  it("give it back when they expire", async () => {
    await fill({ ttl: 60 });
    relay.clock.advance(61);
    await until(async () => (await balance()) === 0, "the clean-up has removed them");
    expect((await quarter()).status).toBe(200);
  });

  it("are counted again by the clean-up, in case the balance is wrong", async () => {
    await fill();
    for (const wrong of [0, 7 * mebibyte]) {
      await db.run("update info_package_balance set anonymous_bytes = :wrong", { wrong });
      relay.clock.advance(2);
      await until(async () => (await balance()) === mebibyte, "the balance is right");
    }
  });

  it("that are refused are not counted for the network address", async () => {
    await fill();
    const ip = "198.51.100.7";
    for (let i = 0; i < 3; i++) expect(errorOf(await quarter({ ip }))).toEqual(full);
    // The four that fill the space, each in the windows of an hour and of a day.
    const rows = await db.rows<AnyRow>("select sum(count)::integer as sum from rate_limits");
    expect(rows).toEqual([{ sum: 8 }]);
  });
});

it("that nearly fill their space raise an alert, until some are removed", async () => {
  const watched = await startWatched({ infoPackageAnonymousBytes: mebibyte, alertAnonymousStoragePercent: 75 });
  try {
    const put = async () =>
      upload(watched.relay, nobody, "revocable", { ciphertext: randomBytes(bytes).toString("base64") });
    const first = await put();
    await put();
    await watched.looked();
    expect(await watched.alert("anonymous_storage_full")).toBeUndefined();
    await put();
    const alert = await watched.raised("anonymous_storage_full");
    expect(alert).toMatchObject({ severity: "warning", component: "server" });
    expect(alert.details).toEqual({ bytes: (3 * mebibyte) / 4, limit_bytes: mebibyte, threshold_percent: 75 });
    await revoke(watched.relay, first, { revocationToken: first.revocationToken });
    await watched.cleared("anonymous_storage_full");
  } finally {
    await watched.stop();
  }
});

describe("a /48 of IPv6", () => {
  it("uploads 16 times as many packages as one of its /64", async () => {
    await db.run("update settings set value = '2' where key = 'rate_limiting.infopackage_uploads_per_hour'");
    await db.run("update settings_version set version = version + 1");
    const from = (network: number) =>
      tryUpload(relay, nobody, "revocable", { ip: `2001:db8:5:${network.toString(16)}::1` });
    await until(
      async () => (await tryUpload(relay, nobody, "revocable", { ip: "192.0.2.8" })).status === 429,
      "2 an hour",
    );
    for (let i = 0; i < 2; i++) expect((await from(0)).status).toBe(200);
    expect((await from(0)).status).toBe(429);
    for (let network = 1; network <= 30; network++) expect((await from(network)).status).toBe(200);
    expect((await from(31)).status).toBe(429);
    expect((await tryUpload(relay, nobody, "revocable", { ip: "2001:db8:6::1" })).status).toBe(200);
  });
});
