import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import type { AnyRow } from "../support/any-row.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import {
  claimPackages,
  fetchPackage,
  newClaimId,
  newPackage,
  newPackages,
  packageStatus,
  upload,
  uploadBody,
} from "../support/key-packages.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

const daySeconds = 86_400;
const limits = { newTierClaimsPerHour: 100_000, announcementsPerHour: 100 };
let relay: TestRelay;
let second: TestRelay;
/** A relay that lets nobody get more than a few packages of one device. */
let narrow: TestRelay;
beforeAll(async () => {
  const roomy = { ...limits, newTierFetchesPerTargetHour: 1_000, newTierFetchesPerHour: 10_000 };
  relay = await startRelay({ ...roomy, claimedPackagesPerTargetHour: 1_000 });
  second = await startRelay({ ...relay.config }, { clock: relay.clock });
  narrow = await startRelay({ ...limits, newTierFetchesPerTargetHour: 2, claimedPackagesPerTargetHour: 3 });
});
afterAll(async () => {
  await second.stop();
  await narrow.stop();
  await relay.stop();
});

async function holder(count: number, { at = relay, lastResort }: { at?: TestRelay; lastResort?: string } = {}) {
  const device = await newDevice(at);
  const packages = newPackages(count);
  demand(await upload(at, device, { packages, ...(lastResort !== undefined && { lastResort }) }));
  return { device, packages };
}
const claims = async (by: TestDevice, addresses: readonly string[], claimId?: string, at = relay) =>
  demand(await claimPackages(at, by, addresses, claimId)).body.claims;
const packagesOf = (claimed: readonly { key_package?: string | undefined }[]) => claimed.map((one) => one.key_package);
const errorsOf = (claimed: readonly { error?: string | undefined }[]) => claimed.map((one) => one.error);
const unknown = () => `${randomUUID()}@relay.test`;

describe("a claim", () => {
  test("gets the oldest package for each address, in the order of the request, and says why where there is none", async () => {
    const [one, two, empty] = [await holder(2), await holder(1), await newDevice(relay)];
    const claimer = await newDevice(relay);
    const addresses = [two.device.address, unknown(), one.device.address, empty.address];
    const answer = demand(await claimPackages(relay, claimer, addresses));
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.body.claims).toEqual([
      { address: addresses[0], key_package: two.packages[0] },
      { address: addresses[1], error: "ADDRESS_NOT_FOUND", code: 4003 },
      { address: addresses[2], key_package: one.packages[0] },
      { address: addresses[3], error: "NO_KEY_PACKAGES", code: 4024 },
    ]);
    expect(packagesOf(await claims(claimer, [one.device.address]))).toEqual([one.packages[1]]);
    expect(demand(await packageStatus(relay, one.device)).body).toMatchObject({
      available_count: 0,
      total_consumed: 2,
    });
  });

  test("takes an address in any spelling, and the same one twice for one", async () => {
    const { device, packages } = await holder(2);
    const claimer = await newDevice(relay);
    const hex = device.address.replaceAll("-", "").toUpperCase();
    const claimed = await claims(claimer, [device.address, hex]);
    expect(claimed).toEqual([
      { address: device.address, key_package: packages[0] },
      { address: hex, key_package: packages[0] },
    ]);
  });

  test("that is repeated gets the same packages for a day, also at another node and after the address has ended", async () => {
    const [one, two] = [await holder(2), await newDevice(relay)];
    const claimer = await newDevice(relay);
    const [claimId, addresses] = [newClaimId(), [one.device.address, two.address]];
    const first = await claims(claimer, addresses, claimId);
    expect(packagesOf(first)).toEqual([one.packages[0], undefined]);
    expect(await claims(claimer, addresses, claimId, second)).toEqual(first);
    // A refusal is not kept.
    const late = newPackage();
    demand(await upload(relay, two, { packages: [late] }));
    expect(packagesOf(await claims(claimer, addresses, claimId.toUpperCase()))).toEqual([one.packages[0], late]);
    const [prefix = ""] = one.device.address.split("@");
    demand(await call(relay, "endAddress", { token: one.device.token, params: { prefix } }));
    expect(packagesOf(await claims(claimer, addresses, claimId))).toEqual([one.packages[0], late]);
    expect(errorsOf(await claims(claimer, [one.device.address]))).toEqual(["ADDRESS_NOT_FOUND"]);
    expect(demand(await packageStatus(relay, one.device)).body.available_count).toBe(1);
  });

  test("of another device with the same id gets other packages", async () => {
    const { device, packages } = await holder(2);
    const claimId = newClaimId();
    const [ada, ben] = [await newDevice(relay), await newDevice(relay)];
    expect(packagesOf(await claims(ada, [device.address], claimId))).toEqual([packages[0]]);
    expect(packagesOf(await claims(ben, [device.address], claimId))).toEqual([packages[1]]);
  });

  test("by many at once, on two nodes, gives each package once", async () => {
    const { device, packages } = await holder(24);
    const claimers = await Promise.all(Array.from({ length: 8 }, () => newDevice(relay)));
    const claimed = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        claims(claimers[i % 8] as TestDevice, [device.address], undefined, i % 2 ? relay : second),
      ),
    );
    expect(new Set(claimed.flatMap(packagesOf))).toEqual(new Set(packages));
  });

  test("that is sent many times at once, to two nodes, takes one package", async () => {
    const { device, packages } = await holder(8);
    const claimer = await newDevice(relay);
    const claimId = newClaimId();
    const claimed = await Promise.all(
      Array.from({ length: 8 }, (_, i) => claims(claimer, [device.address], claimId, i % 2 ? relay : second)),
    );
    expect(claimed.flatMap(packagesOf)).toEqual(Array(8).fill(packages[0]));
    expect(demand(await packageStatus(relay, device)).body.available_count).toBe(7);
  });

  test("and fetches at once of the same device never get the same package, and do not wait for each other for ever", async () => {
    const { device, packages } = await holder(30);
    const claimer = await newDevice(relay);
    const got = await Promise.all(
      Array.from({ length: 30 }, async (_, i) =>
        i % 2
          ? (await claims(claimer, [device.address]))[0]?.key_package
          : demand(await fetchPackage(relay, claimer, device.deviceId)).body.key_package,
      ),
    );
    expect(new Set(got)).toEqual(new Set(packages));
  });

  test("is refused as a whole in bad form, without a token and for too many addresses or relays", async () => {
    const claimer = await newDevice(relay);
    const refusedWith = async (body: object) => {
      const { status, body: said } = await call(relay, "claimKeyPackages", { token: claimer.token, body });
      return [status, said.error];
    };
    const address = unknown();
    expect(await refusedWith({ claim_id: "ab", addresses: [address] })).toEqual([400, "INVALID_REQUEST"]);
    expect(await refusedWith({ claim_id: newClaimId(), addresses: [] })).toEqual([400, "INVALID_REQUEST"]);
    expect(await refusedWith({ claim_id: newClaimId(), addresses: ["nobody"] })).toEqual([400, "INVALID_ADDRESS"]);
    const many = Array.from({ length: 101 }, unknown);
    expect(await refusedWith({ claim_id: newClaimId(), addresses: many })).toEqual([400, "INVALID_REQUEST"]);
    const relays = Array.from({ length: 17 }, (_, n) => `${randomUUID()}@relay${n}.example`);
    expect(await refusedWith({ claim_id: newClaimId(), addresses: relays })).toEqual([400, "INVALID_REQUEST"]);
    const bare = await call(relay, "claimKeyPackages", { body: { claim_id: newClaimId(), addresses: [address] } });
    expect([bare.status, bare.body.error]).toEqual([401, "INVALID_TOKEN"]);
  });
});

describe("what the database keeps of a claim", () => {
  test("names neither the claimer, the address nor the id, opens with nothing that is stored, and goes after a day", async () => {
    const { device, packages } = await holder(1);
    const claimer = await newDevice(relay);
    const claimId = newClaimId();
    await claims(claimer, [device.address], claimId);
    const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
    const rows = () => db.rows<AnyRow>("select key_package_claims::text as row, expires_at from key_package_claims");
    const texts = (await rows()).map((one) => String(one.row));
    expect(texts.length).toBeGreaterThan(0);
    const secrets = [
      claimId,
      claimer.deviceId,
      device.deviceId,
      device.address.split("@")[0]?.replaceAll("-", "") ?? "",
      Buffer.from(packages[0] ?? "", "base64").toString("hex"),
    ];
    for (const text of texts) for (const secret of secrets) expect(text).not.toContain(secret);
    for (const { expires_at } of await rows()) expect(Number(expires_at) % 3600).toBe(0);
    relay.clock.advance(daySeconds + 3600);
    await until(async () => (await rows()).length === 0, "the answers are gone");
    await db.close();
  });
});

describe("packages for one address", () => {
  test("come first for that address, then its last-resort package, and never for another address or a fetch", async () => {
    const lastResort = newPackage();
    const { device, packages } = await holder(2, { lastResort });
    const shared = device.address;
    await device.announce();
    const [own, ownLast] = [newPackages(2), newPackage()];
    const stored = demand(await upload(relay, device, { packages: own, lastResort: ownLast, address: device.address }));
    expect(stored.body).toMatchObject({ uploaded_count: 2, available_count: 2 });
    const claimer = await newDevice(relay);
    const got = [];
    for (let n = 0; n < 4; n++) got.push(...(await claims(claimer, [device.address])));
    expect(packagesOf(got)).toEqual([...own, ownLast, ownLast]);
    expect(got.map((one) => one.last_resort)).toEqual([undefined, undefined, true, true]);
    expect(packagesOf(await claims(claimer, [shared]))).toEqual([packages[0]]);
    expect(demand(await fetchPackage(relay, claimer, device.deviceId)).body.key_package).toBe(packages[1]);
    expect(await claims(claimer, [shared])).toEqual([{ address: shared, key_package: lastResort, last_resort: true }]);
  });

  test("are followed by the others where the address has no last-resort package", async () => {
    const { device, packages } = await holder(1);
    const own = newPackages(1);
    demand(await upload(relay, device, { packages: own, address: device.address }));
    const claimer = await newDevice(relay);
    expect(packagesOf(await claims(claimer, [device.address]))).toEqual(own);
    expect(packagesOf(await claims(claimer, [device.address]))).toEqual(packages);
    expect(errorsOf(await claims(claimer, [device.address]))).toEqual(["NO_KEY_PACKAGES"]);
  });

  test("are counted, replaced and limited apart from the others, and dropped with them", async () => {
    const { device } = await holder(3);
    const { address } = device;
    demand(await upload(relay, device, { packages: newPackages(2), address, lastResort: newPackage() }));
    const counts = async () => [
      demand(await packageStatus(relay, device)).body,
      demand(await packageStatus(relay, device, address)).body,
    ];
    expect(await counts()).toMatchObject([
      { available_count: 3, has_last_resort: false },
      { available_count: 2, has_last_resort: true },
    ]);
    demand(await upload(relay, device, { packages: newPackages(1), address, replace: true }));
    expect(await counts()).toMatchObject([{ available_count: 3 }, { available_count: 1, has_last_resort: false }]);
    const [one, two] = [newPackage(), newPackage()];
    for (const lastResort of [one, two, one]) demand(await upload(relay, device, { lastResort, address }));
    expect(await counts()).toMatchObject([{ available_count: 3 }, { available_count: 1, has_last_resort: true }]);
    demand(await upload(relay, device, { packages: newPackages(1), replace: true }));
    expect(await counts()).toMatchObject([{ available_count: 1 }, { available_count: 0, has_last_resort: false }]);
  });

  test("need an active address of the device, and a signature that covers it", async () => {
    const [device, other] = [await newDevice(relay), await newDevice(relay)];
    const refused = async (address: string) => {
      const { status, body } = await upload(relay, device, { packages: newPackages(1), address });
      return [status, body.error];
    };
    expect(await refused(other.address)).toEqual([404, "ADDRESS_NOT_FOUND"]);
    expect(await refused(unknown())).toEqual([404, "ADDRESS_NOT_FOUND"]);
    expect(await refused(`${device.address.split("@")[0]}@peer.example`)).toEqual([404, "ADDRESS_NOT_FOUND"]);
    expect((await packageStatus(relay, device, other.address)).status).toBe(404);
    const unsigned = { ...uploadBody(relay, device, { packages: newPackages(1) }), address: device.address };
    const forged = await call(relay, "uploadKeyPackages", { token: device.token, body: unsigned });
    expect([forged.status, forged.body.error]).toEqual([403, "INVALID_SIGNATURE"]);
  });
});

describe("a claim beyond a limit", () => {
  test("of the claimer with one device gets the last-resort package, and others still get theirs", async () => {
    const lastResort = newPackage();
    const { device, packages } = await holder(4, { at: narrow, lastResort });
    const [greedy, honest] = [await newDevice(narrow), await newDevice(narrow)];
    const got = [];
    for (let n = 0; n < 4; n++) got.push(...(await claims(greedy, [device.address], undefined, narrow)));
    expect(packagesOf(got)).toEqual([packages[0], packages[1], lastResort, lastResort]);
    expect(packagesOf(await claims(honest, [device.address], undefined, narrow))).toEqual([packages[2]]);
    // The device's own limit, for everybody, is three.
    expect(await claims(honest, [device.address], undefined, narrow)).toEqual([
      { address: device.address, key_package: lastResort, last_resort: true },
    ]);
    expect(demand(await packageStatus(narrow, device)).body.available_count).toBe(1);
  });

  test("is refused where the device has no last-resort package, and refuses nobody else", async () => {
    const { device, packages } = await holder(6, { at: narrow });
    const devices = [await newDevice(narrow), await newDevice(narrow), await newDevice(narrow)];
    const got = [];
    for (const claimer of devices)
      for (let n = 0; n < 3; n++) got.push(...(await claims(claimer, [device.address], undefined, narrow)));
    expect(packagesOf(got)).toEqual(
      [...packages.slice(0, 2), undefined, ...packages.slice(2, 4), undefined].concat([
        ...packages.slice(4),
        undefined,
      ]),
    );
    const refused = got[2];
    expect(refused).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", code: 4004, limit: 2 });
    expect(refused?.retry_after).toBeGreaterThan(0);
  });

  test("of addresses in an hour is refused as a whole, and a barred device may claim nothing", async () => {
    const small = await startRelay({ newTierClaimsPerHour: 3 });
    const claimer = await newDevice(small);
    const claim = async (count: number) => {
      const { status, body } = await claimPackages(small, claimer, Array.from({ length: count }, unknown));
      return [status, (body as { error?: string }).error];
    };
    expect(await claim(2)).toEqual([200, undefined]);
    expect(await claim(2)).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect(await claim(1)).toEqual([200, undefined]);
    const db = createDatabase({ url: small.databaseUrl, poolSize: 1 });
    await db.rows("update devices set blocked_at = 1 where device_id = :id", { id: claimer.deviceId });
    await db.close();
    small.clock.advance(3700);
    expect(await claim(1)).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    await small.stop();
  });
});
