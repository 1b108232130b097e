import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { routes } from "../../generated/routes.js";
import { createMember } from "../../scripts/demo/member.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { decodeBase64, encodeBase64 } from "../../src/protocol/encodings.js";
import { type PeerServer, startPeerServer } from "../federation/peer-server.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { claimPackages, newClaimId, newPackage, newPackages, packageStatus, upload } from "../support/key-packages.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { until } from "../support/until.js";

// Two relays speak TLS to each other here, and a request may wait for a lost answer of theirs.

/** Another relay may take its time on a busy machine. */
const patient = {
  federationSlotTimeoutSeconds: 60,
  federationConnectTimeoutSeconds: 60,
  federationRequestTimeoutSeconds: 60,
};
const roomy = {
  newTierClaimsPerHour: 100_000,
  newTierFetchesPerTargetHour: 1_000,
  newTierFetchesPerHour: 10_000,
  claimedPackagesPerTargetHour: 1_000,
  peerClaimsPerTargetHour: 1_000,
  newTierPeerClaimsPerAddressHour: 1_000,
};

let fixture: PeerFixture;
let here: PeerRelay;
/** A relay that does not wait long for the answers of others. */
let impatient: PeerRelay;
/** The relay of those whose packages are claimed. */
let there: PeerRelay;
let claimer: TestDevice;
let hasty: TestDevice;

beforeAll(async () => {
  fixture = await createPeerFixture();
  here = await fixture.relay({ ...roomy, ...patient });
  impatient = await fixture.relay({ ...roomy, ...patient, federationSlotTimeoutSeconds: 2 });
  there = await fixture.relay(roomy);
  [claimer, hasty] = [await newDevice(here), await newDevice(impatient)];
});
beforeEach(() => {
  for (const { proxy } of [here, there]) Object.assign(proxy, { open: true, requests: "pass", answers: "pass" });
});
afterAll(() => fixture.stop());

async function holder(count: number, { at = there, lastResort }: { at?: PeerRelay; lastResort?: string } = {}) {
  const device = await newDevice(at);
  const packages = newPackages(count);
  demand(await upload(at, device, { packages, ...(lastResort !== undefined && { lastResort }) }));
  return { device, packages };
}
const claims = async (addresses: readonly string[], claimId?: string, by = claimer, at = here) =>
  demand(await claimPackages(at, by, addresses, claimId)).body.claims;
const packagesOf = (claimed: readonly { key_package?: string | undefined }[]) => claimed.map((one) => one.key_package);
const errorsOf = (claimed: readonly { error?: string | undefined }[]) => claimed.map((one) => one.error);
const available = async (device: TestDevice) => demand(await packageStatus(there, device)).body.available_count;

describe("a claim of key packages of several relays", () => {
  test("has the answers of all of them in the order of the request", async () => {
    const [near, far, empty] = [await holder(1, { at: here }), await holder(2), await newDevice(there)];
    const lastResort = newPackage();
    const last = await holder(0, { lastResort });
    const addresses = [
      far.device.address,
      near.device.address,
      `${randomUUID()}@${there.domain}`,
      last.device.address,
      empty.address,
    ];
    expect(await claims(addresses)).toEqual([
      { address: addresses[0], key_package: far.packages[0] },
      { address: addresses[1], key_package: near.packages[0] },
      { address: addresses[2], error: "ADDRESS_NOT_FOUND", code: 4003 },
      { address: addresses[3], key_package: lastResort, last_resort: true },
      { address: addresses[4], error: "NO_KEY_PACKAGES", code: 4024 },
    ]);
  });

  test("that is repeated gets the same packages, and another one gets others", async () => {
    const { device, packages } = await holder(3);
    const claimId = newClaimId();
    for (let n = 0; n < 3; n++) expect(packagesOf(await claims([device.address], claimId))).toEqual([packages[0]]);
    expect(packagesOf(await claims([device.address]))).toEqual([packages[1]]);
    expect(await available(device)).toBe(1);
  });

  test("by another device with the same id gets others", async () => {
    const { device, packages } = await holder(2);
    const [claimId, other] = [newClaimId(), await newDevice(here)];
    expect(packagesOf(await claims([device.address], claimId))).toEqual([packages[0]]);
    expect(packagesOf(await claims([device.address], claimId, other))).toEqual([packages[1]]);
  });

  test("whose answer was lost between the relays takes no second package when it is repeated", async () => {
    const { device, packages } = await holder(2);
    const claimId = newClaimId();
    const claim = () => claims([device.address], claimId, hasty, impatient);
    const near = await holder(1, { at: impatient });
    await until(async () => {
      const [one] = await claims([(await holder(1)).device.address], undefined, hasty, impatient);
      return one?.key_package !== undefined;
    }, "the relays know each other");
    there.proxy.answers = "hold";
    const lost = await claims([device.address, near.device.address], claimId, hasty, impatient);
    expect(lost[0]).toMatchObject({ error: "PEER_UNAVAILABLE", code: 5005 });
    expect(lost[0]?.retry_after).toBeGreaterThan(0);
    expect(lost[1]?.key_package).toBe(near.packages[0]);
    await until(async () => (await available(device)) === 1, "the other relay has given one out");
    there.proxy.cut();
    there.proxy.answers = "pass";
    await until(async () => errorsOf(await claim())[0] === undefined, "the repetition is answered");
    expect(packagesOf(await claim())).toEqual([packages[0]]);
    expect(await available(device)).toBe(1);
  });

  test("says PEER_UNAVAILABLE for a relay that is down, and gives the packages of the others", async () => {
    const [far, near] = [await holder(1), await holder(1, { at: here })];
    const [claimId, addresses] = [newClaimId(), [far.device.address, near.device.address]];
    there.proxy.open = false;
    there.proxy.cut();
    const half = await claims(addresses, claimId);
    expect(errorsOf(half)).toEqual(["PEER_UNAVAILABLE", undefined]);
    there.proxy.open = true;
    await until(async () => errorsOf(await claims(addresses, claimId))[0] === undefined, "the other relay is back");
    expect(packagesOf(await claims(addresses, claimId))).toEqual([far.packages[0], near.packages[0]]);
  });

  test("says why a relay cannot be asked", async () => {
    const old = await fixture.relay();
    const device = await newDevice(old);
    await old.stop();
    const dead = await claims([device.address, `${randomUUID()}@127.0.0.1`]);
    expect(errorsOf(dead)).toEqual(["PEER_UNAVAILABLE", "INVALID_ADDRESS"]);
  });
});

test("a package of an MLS library arrives unchanged, and its owner joins the group that it is added to", async () => {
  const [ada, ben] = [await createMember("ada"), await createMember("ben")];
  const device = await newDevice(there);
  demand(await upload(there, device, { packages: [encodeBase64(ben.keyPackage)], address: device.address }));
  const [claimed] = await claims([device.address]);
  const keyPackage = Uint8Array.from(decodeBase64(claimed?.key_package ?? "") ?? []);
  expect(keyPackage).toEqual(new Uint8Array(ben.keyPackage));
  await ada.found("ferry");
  const { welcome } = await ada.add([keyPackage]);
  expect((await ben.receive(welcome)).kind).toBe("joined");
  expect(ben.epochAuthenticator()).toEqual(ada.epochAuthenticator());
});

describe("the limits of a relay's claims", () => {
  test("for one device leave it with its last-resort package for that relay, and with others for the rest", async () => {
    const small = await fixture.relay({ ...roomy, peerClaimsPerTargetHour: 2 });
    const lastResort = newPackage();
    const [one, bare] = [await holder(4, { at: small, lastResort }), await holder(4, { at: small })];
    const got = [];
    for (let n = 0; n < 4; n++) got.push(...(await claims([one.device.address, bare.device.address])));
    const ofOne = got.filter((_, i) => i % 2 === 0);
    const ofBare = got.filter((_, i) => i % 2 === 1);
    expect(packagesOf(ofOne)).toEqual([...one.packages.slice(0, 2), lastResort, lastResort]);
    expect(packagesOf(ofBare)).toEqual([...bare.packages.slice(0, 2), undefined, undefined]);
    expect(ofBare[2]).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", limit: 2 });
    // Another claimer is not locked out by that relay.
    const neighbour = await newDevice(small);
    const own = await claims([one.device.address, bare.device.address], undefined, neighbour, small);
    expect(packagesOf(own)).toEqual([one.packages[2], bare.packages[2]]);
  });

  test("for one device are a share of those of its relay, and repetitions do not count", async () => {
    const usual = await fixture.relay({ ...roomy, ...patient, newTierPeerClaimsPerAddressHour: 3 });
    const [greedy, modest] = [await newDevice(usual), await newDevice(usual)];
    const { device, packages } = await holder(20);
    const ids = Array.from({ length: 25 }, newClaimId);
    const got = await Promise.all(ids.map((id) => claims([device.address], id, greedy, usual)));
    const given = got.flatMap(packagesOf).filter((one) => one !== undefined);
    expect(new Set(given)).toEqual(new Set(packages.slice(0, 3)));
    const refused = got.flat().find(({ error }) => error !== undefined);
    expect(refused).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", limit: 3 });
    const first = ids[got.findIndex(([one]) => one?.key_package === packages[0])];
    for (let n = 0; n < 4; n++)
      expect(packagesOf(await claims([device.address], first, greedy, usual))).toEqual([packages[0]]);
    expect(packagesOf(await claims([device.address], newClaimId(), modest, usual))).toEqual([packages[3]]);
  });

  test("do not count what another relay gives nothing for", async () => {
    const usual = await fixture.relay({ ...roomy, ...patient, newTierPeerClaimsPerAddressHour: 2 });
    const [device, empty] = [await newDevice(usual), await newDevice(there)];
    for (let n = 0; n < 4; n++)
      expect(errorsOf(await claims([empty.address], undefined, device, usual))).toEqual(["NO_KEY_PACKAGES"]);
  });

  test("for all devices refuse its claims for a while, and a blocked relay gets nothing", async () => {
    const small = await fixture.relay({ federationKeyPackagesPerMinute: 3 });
    const { device, packages } = await holder(3, { at: small });
    const claim = (count: number) => claims(Array.from({ length: count }, () => device.address));
    expect(packagesOf(await claim(2))).toEqual([packages[0], packages[0]]);
    const refused = await claim(2);
    expect(errorsOf(refused)).toEqual(["PEER_UNAVAILABLE", "PEER_UNAVAILABLE"]);
    expect(refused[0]?.retry_after).toBeGreaterThan(2);
    const db = createDatabase({ url: small.databaseUrl, poolSize: 1 });
    await db.run(
      `insert into federation_blocks (domain, blocked_at, reason, reason_category, severity) values ('localhost', 1, '', 'spam', 'high')`,
    );
    await db.close();
    expect(errorsOf(await claim(1))).toEqual(["FEDERATION_FAILED"]);
  });
});

describe("another server", () => {
  let peer: PeerServer;
  const path = routes.claimKeyPackagesForPeer.path;
  interface Asked {
    origin_server: string;
    claim_id: string;
    addresses: string[];
  }
  const addressThere = () => `${randomUUID()}@${peer.domain}`;

  beforeEach(async () => {
    peer = await startPeerServer(fixture);
    peer.capabilities = { federated_key_packages: true };
  });
  afterEach(() => peer.stop());

  test("is asked with an id that belongs to it alone, and with its own addresses alone", async () => {
    const [other, asked] = [await startPeerServer(fixture), [] as Asked[]];
    other.capabilities = peer.capabilities;
    for (const one of [peer, other])
      one.answers.set(path, (sent) => {
        asked.push(sent as Asked);
        return { claims: (sent as Asked).addresses.map((address) => ({ address, key_package: newPackage() })) };
      });
    const [claimId, addresses] = [newClaimId(), [addressThere(), `${randomUUID()}@${other.domain}`, addressThere()]];
    expect(errorsOf(await claims(addresses, claimId))).toEqual([undefined, undefined, undefined]);
    await claims(addresses, claimId);
    const at = (domain: string) => asked.filter((one) => one.addresses[0]?.endsWith(domain));
    expect(at(peer.domain).map((one) => one.addresses)).toEqual(Array(2).fill([addresses[0], addresses[2]]));
    const ids = [peer, other].map(({ domain }) => new Set(at(domain).map((one) => one.claim_id)));
    for (const of of ids) expect(of.size).toBe(1);
    expect(new Set([...ids.flatMap((of) => [...of]), claimId]).size).toBe(3);
    expect(asked[0]?.origin_server).toBe(here.domain);
    await other.stop();
  });

  test("that answers in another order is read by the addresses", async () => {
    const addresses = Array.from({ length: 3 }, addressThere);
    const packageOf = new Map(addresses.map((address) => [address, newPackage()]));
    peer.answers.set(path, () => {
      const answers = [...packageOf].map(([address, key_package]) => ({ address: address.toUpperCase(), key_package }));
      return { claims: answers.reverse() };
    });
    expect(packagesOf(await claims(addresses))).toEqual([...packageOf.values()]);
  });

  test.each<[string, (asked: Asked) => unknown]>([
    [
      "gives a package for another address",
      () => ({ claims: [{ address: addressThere(), key_package: newPackage() }] }),
    ],
    ["names no address", () => ({ claims: [{ key_package: newPackage() }] })],
    ["gives too few answers", () => ({ claims: [] })],
    [
      "gives too many answers",
      ({ addresses: [address] }) => ({ claims: Array(2).fill({ address, key_package: newPackage() }) }),
    ],
    [
      "gives a package that is too short",
      ({ addresses: [address] }) => ({ claims: [{ address, key_package: "AAAA" }] }),
    ],
    [
      "gives a package that is too long",
      ({ addresses: [address] }) => ({ claims: [{ address, key_package: newPackage(32_769) }] }),
    ],
    [
      "gives what is not base64",
      ({ addresses: [address] }) => ({ claims: [{ address, key_package: "?".repeat(100) }] }),
    ],
    ["names an error that does not exist", ({ addresses: [address] }) => ({ claims: [{ address, error: "NO_LUCK" }] })],
    [
      "has a limit without an end",
      ({ addresses: [address] }) => ({ claims: [{ address, error: "RATE_LIMIT_EXCEEDED" }] }),
    ],
    ["answers nothing", () => null],
    ["answers a list", () => []],
    ["answers what is not JSON", () => "{]"],
    ["answers too much", () => ({ filler: "x".repeat(6 * 2 ** 20) })],
  ])("that %s is asked again", async (_what, answer) => {
    peer.answers.set(path, (asked) => answer(asked as Asked));
    expect(errorsOf(await claims([addressThere()]))).toEqual(["PEER_UNAVAILABLE"]);
  });

  test("that announces no key packages for others is not asked", async () => {
    peer.capabilities = {};
    expect(errorsOf(await claims([addressThere()]))).toEqual(["FEDERATION_FAILED"]);
    expect(peer.asked).not.toContain(path);
  });

  test("must name itself", async () => {
    const body = { origin_server: peer.domain, claim_id: newClaimId(), addresses: [claimer.address] };
    const headers = { "x-origin-server": peer.domain };
    const bare = await call(here, "claimKeyPackagesForPeer", { body, headers });
    expect([bare.status, bare.body.error]).toEqual([401, "INVALID_TOKEN"]);
    const device = await call(here, "claimKeyPackagesForPeer", { body, headers, token: claimer.token });
    expect([device.status, device.body.error]).toEqual([401, "INVALID_TOKEN"]);
  });
});
