import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../federation/outbox-fixture.js";
import { demand, newDevice } from "../support/device.js";
import { claimPackages, newClaimId, newPackages, packageStatus, upload } from "../support/key-packages.js";
import { type KillableRelay, startKillableRelay } from "../support/killable-relay.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";

let fixture: PeerFixture;
let here: KillableRelay;
let there: KillableRelay;

beforeAll(async () => {
  fixture = await createPeerFixture();
  const constants = {
    newTierClaimsPerHour: 1_000_000,
    claimedPackagesPerTargetHour: 1_000_000,
    peerClaimsPerTargetHour: 1_000_000,
    newTierPeerClaimsPerAddressHour: 1_000_000,
    federationSlotTimeoutSeconds: 2,
  };
  here = await startKillableRelay(fixture, { constants });
  there = await startKillableRelay(fixture, { constants });
});
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await fixture.stop();
});

test("every claim gets a package that no other claim gets, although the relays' processes are killed meanwhile", async () => {
  const [claimer, holder] = [await newDevice(here.relay), await newDevice(there.relay)];
  const count = 300;
  const packages = newPackages(count);
  for (let n = 0; n < count; n += 100)
    demand(
      await upload(there.relay, holder, {
        packages: packages.slice(n, n + 100),
        timestamp: there.relay.clock.nowSeconds() - n,
      }),
    );
  /** Repeats a claim until it is answered, as a client does, and then once more. */
  const claimOne = async (): Promise<string[]> => {
    const claimId = newClaimId();
    const answers: string[] = [];
    await eventually(async () => {
      const answer = await claimPackages(here.relay, claimer, [holder.address], claimId).catch(() => undefined);
      const got = answer?.status === 200 ? answer.body.claims[0]?.key_package : undefined;
      if (got !== undefined) answers.push(got);
      return answers.length === 2;
    }, 60);
    return answers;
  };
  const got: string[][] = [];
  let claiming = true;
  const work = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (claiming && got.length < count - 20) got.push(await claimOne());
    }),
  );
  for (const victim of [there, here, there]) {
    const { length } = got;
    await eventually(() => got.length > length + 5);
    await victim.kill();
    await victim.start();
  }
  claiming = false;
  await work;
  for (const [first, again] of got) expect(again).toBe(first);
  const given = got.map(([first]) => first);
  expect(new Set(given).size).toBe(given.length);
  expect(packages).toEqual(expect.arrayContaining(given));
  // None was spent without a claimer.
  const status = demand(await packageStatus(there.relay, holder)).body;
  expect([status.total_consumed, status.available_count]).toEqual([given.length, count - given.length]);
});
