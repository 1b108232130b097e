import { afterAll, beforeAll, expect, test } from "vitest";
import { demand, newDevice } from "../support/device.js";
import { claimPackages, newPackage, newPackages, packageStatus, upload } from "../support/key-packages.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";

/** A run with 100 says how long a device can be away under attack: 4 hours. */
const count = Number(process.env["DEPLETION_PACKAGES"] ?? 45);

let fixture: PeerFixture;
/** A relay whose devices claim as much as they can. */
let hostile: PeerRelay;
let relay: PeerRelay;
beforeAll(async () => {
  fixture = await createPeerFixture();
  const addressSeconds = { seeds: { SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "720" } };
  relay = await fixture.relay(addressSeconds);
  const unlimited = {
    newTierClaimsPerHour: 1_000_000,
    keyPackageClaimsPerHour: 1_000_000,
    newTierPeerClaimsPerAddressHour: 1_000_000,
  };
  hostile = await fixture.relay({ ...unlimited, ...addressSeconds }, { clock: relay.clock });
});
afterAll(() => fixture.stop());

test("a hostile relay uses up the packages of a device slowly, and everybody else gets one all the time", async () => {
  const victim = await newDevice(relay);
  const [packages, lastResort] = [newPackages(count), newPackage()];
  demand(await upload(relay, victim, { packages, lastResort }));
  let left = packages.length;
  let windows = 0;
  for (; left > 0; windows++) {
    expect(windows).toBeLessThan(packages.length);
    const attacker = await newDevice(hostile);
    for (let isLastResort = false; !isLastResort; ) {
      const [claimed] = demand(await claimPackages(hostile, attacker, [victim.address])).body.claims;
      expect(claimed?.key_package).toBeDefined();
      isLastResort = claimed?.last_resort === true;
    }
    const honest = await newDevice(relay);
    const [claimed] = demand(await claimPackages(relay, honest, [victim.address])).body.claims;
    expect(claimed?.key_package).toBeDefined();
    left = demand(await packageStatus(relay, victim)).body.available_count;
    if (left > 0) expect(claimed?.last_resort).toBeUndefined();
    relay.clock.advance(3_601);
  }
  console.info(`${count} packages are used up after ${windows} windows of an hour`);
  // Then all of them get the last-resort package.
  const honest = await newDevice(relay);
  expect(demand(await claimPackages(relay, honest, [victim.address])).body.claims).toEqual([
    { address: victim.address, key_package: lastResort, last_resort: true },
  ]);
});
