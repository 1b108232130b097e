import { encodeBase64, encodeHex } from "../../protocol/encodings.js";
import { keyPackagesText } from "../../protocol/signed-text.js";
import { hold, LimitReached, NotChecked, refused, same, success } from "../harness/assertions.js";
import { federationToken, originOf } from "../harness/origin.js";
import type { Device, Harness, Rule } from "../harness/types.js";

interface Upload {
  keyPackages: string[];
  replace?: boolean;
  lastResortKeyPackage?: string;
  /** Members that replace the valid ones. */
  different?: object;
}

export const keyPackageRules: readonly Rule[] = [
  {
    id: "keypackages.once",
    title: "each package is given out once, the oldest first; after the last one comes NO_KEY_PACKAGES",
    source: "openapi: fetchKeyPackage; errors.yaml: NO_KEY_PACKAGES",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const packages = made(harness, 3);
      const stored = success(await upload(harness, bob, { keyPackages: packages, replace: true }), 200);
      same([stored.uploaded_count, stored.available_count], [3, 3], "the counts");
      for (const [index, one] of packages.entries()) {
        const body = success(await fetchFrom(alice, bob.deviceId), 200);
        same([body.key_package, body.remaining, body.last_resort], [one, 2 - index, undefined], `package ${index + 1}`);
      }
      refused(await fetchFrom(alice, bob.deviceId), "NO_KEY_PACKAGES");
    },
  },
  {
    id: "keypackages.at-once",
    title: "four fetches at once never get the same package",
    source: "openapi: fetchKeyPackage",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      success(await upload(harness, bob, { keyPackages: made(harness, 4), replace: true }), 200);
      const answers = await Promise.all([1, 2, 3, 4].map(() => fetchFrom(alice, bob.deviceId)));
      const got = answers.map((answer) => success(answer, 200).key_package);
      same(new Set(got).size, 4, "how many different packages came");
    },
  },
  {
    id: "keypackages.last-resort",
    title: "the last-resort package is given out only when no other is left, repeatedly",
    source: "openapi: uploadKeyPackages, fetchKeyPackage",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const [one = "", last = ""] = made(harness, 2);
      const given = { keyPackages: [one], replace: true, lastResortKeyPackage: last };
      same(success(await upload(harness, bob, given), 200).available_count, 1, "available_count");
      same(success(await fetchFrom(alice, bob.deviceId), 200).last_resort, undefined, "last_resort of the first");
      for (const _ of ["first", "second"]) {
        const body = success(await fetchFrom(alice, bob.deviceId), 200);
        same([body.key_package, body.last_resort], [last, true], "the last resort");
      }
      success(await upload(harness, bob, { keyPackages: [], replace: true }), 200);
    },
  },
  {
    id: "keypackages.repeated",
    title: "the same package is stored once",
    source: "openapi: uploadKeyPackages",
    async check(harness) {
      const bob = await harness.bob();
      const keyPackages = made(harness, 2);
      success(await upload(harness, bob, { keyPackages, replace: true }), 200);
      const again = success(await upload(harness, bob, { keyPackages }), 200);
      same([again.uploaded_count, again.available_count], [0, 2], "the counts of the second upload");
      const status = success(await bob.call("getKeyPackageStatus"), 200);
      same([status.available_count, status.has_last_resort], [2, false], "the status");
    },
  },
  {
    id: "keypackages.claim",
    title: "a claim gets a package for each address, or says why not, and a repetition gets the same ones",
    source: "openapi: claimKeyPackages",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const packages = made(harness, 3);
      success(await upload(harness, bob, { keyPackages: packages, replace: true }), 200);
      const unknown = `${harness.random.uuid()}@${harness.domain}`;
      const claim = async (id: string) => {
        const body = { claim_id: id, addresses: [unknown, bob.address] };
        const { claims } = success(await alice.call("claimKeyPackages", { body }), 200);
        if (claims.some(({ error }) => error === "RATE_LIMIT_EXCEEDED"))
          throw new LimitReached("the suite's device may get no more packages for now");
        return claims;
      };
      const id = encodeHex(harness.random.bytes(32));
      const expected = (key_package: string | undefined) => [
        { address: unknown, error: "ADDRESS_NOT_FOUND", code: 4003 },
        { address: bob.address, key_package },
      ];
      same(await claim(id), expected(packages[0]), "the claims");
      same(await claim(id), expected(packages[0]), "the claims of the repetition");
      same(await claim(encodeHex(harness.random.bytes(32))), expected(packages[1]), "the claims of another claim");
      success(await upload(harness, bob, { keyPackages: [], replace: true }), 200);
    },
  },
  {
    id: "keypackages.claim-by-server",
    title: "another server claims packages as a device does",
    source: "openapi: claimKeyPackagesForPeer; ServerCapabilities, federated_key_packages",
    requires: ["origin"],
    async check(harness) {
      const { capabilities } = success(await harness.call("getDiscovery"), 200);
      if (capabilities.federated_key_packages !== true)
        throw new NotChecked("the server has no key packages for other servers");
      const bob = await harness.bob();
      const packages = made(harness, 2);
      success(await upload(harness, bob, { keyPackages: packages, replace: true }), 200);
      const { domain } = originOf(harness);
      const token = await federationToken(harness);
      const ask = (id: string, header = domain) =>
        harness.call("claimKeyPackagesForPeer", {
          token,
          headers: { "x-origin-server": header },
          body: { origin_server: domain, claim_id: id, addresses: [bob.address] },
        });
      const id = encodeHex(harness.random.bytes(32));
      for (const _ of ["first", "second"])
        same(success(await ask(id), 200).claims, [{ address: bob.address, key_package: packages[0] }], "the claims");
      refused(await ask(id, "other.example"), "INVALID_REQUEST", "INVALID_TOKEN");
      success(await upload(harness, bob, { keyPackages: [], replace: true }), 200);
    },
  },
  {
    id: "keypackages.signature",
    title: "an upload that the device has not signed, or that is for another device, is refused",
    source: "openapi: uploadKeyPackages, signature, device_id",
    async check(harness) {
      const [alice, bob] = [await harness.alice(), await harness.bob()];
      const keyPackages = made(harness, 1);
      const forged = await upload(harness, bob, { keyPackages, different: { signature: "00".repeat(64) } });
      refused(forged, "INVALID_SIGNATURE");
      const foreign = await upload(harness, bob, { keyPackages, different: { device_id: alice.deviceId } });
      hold(
        foreign.status >= 400 && foreign.status < 500,
        `an upload for another device was answered ${foreign.status}`,
      );
    },
  },
  {
    id: "keypackages.unknown",
    title: "the packages of an unknown device cannot be fetched",
    source: "openapi: fetchKeyPackage; errors.yaml: DEVICE_NOT_FOUND",
    async check(harness) {
      const alice = await harness.alice();
      refused(await fetchFrom(alice, "ab".repeat(32)), "DEVICE_NOT_FOUND");
      refused(await fetchFrom(alice, "bob"), "INVALID_REQUEST");
    },
  },
  {
    id: "keypackages.bounds",
    title: "101 packages, one of 63 bytes and an empty upload are refused",
    source: "openapi: UploadKeyPackagesRequest, KeyPackage",
    async check(harness) {
      const bob = await harness.bob();
      const small = encodeBase64(harness.random.bytes(63));
      for (const keyPackages of [made(harness, 101), [small], []]) {
        refused(await upload(harness, bob, { keyPackages }), "INVALID_REQUEST");
      }
    },
  },
];

function made({ random }: Harness, count: number): string[] {
  return Array.from({ length: count }, () => encodeBase64(random.bytes(96)));
}

function fetchFrom(device: Device, deviceId: string) {
  return device.call("fetchKeyPackage", { query: { device_id: deviceId } });
}

async function upload(harness: Harness, device: Device, given: Upload) {
  const { keyPackages, replace, lastResortKeyPackage, different } = given;
  const signed = { deviceId: device.deviceId, keyPackages, timestamp: await harness.now(), audience: harness.domain };
  const body = {
    device_id: device.deviceId,
    key_packages: keyPackages,
    timestamp: signed.timestamp,
    audience: harness.domain,
    signature: device.sign(keyPackagesText({ ...signed, replace, lastResortKeyPackage })),
    ...(replace !== undefined && { replace }),
    ...(lastResortKeyPackage !== undefined && { last_resort_key_package: lastResortKeyPackage }),
    ...different,
  };
  return device.call("uploadKeyPackages", { body });
}
