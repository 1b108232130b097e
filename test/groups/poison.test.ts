import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimKeyPackages } from "../../src/client/keys/key-package-claims.js";
import { sealWelcome } from "../../src/client/sealing/sealed-welcomes.js";
import { tsMls } from "../../src/groups/index.js";
import { newClient } from "../client/harness.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { groupOf, openPerson, roomy, textsOf, untilHas } from "./people.js";

// Anyone who knows an address can send to it.

let fixture: PeerFixture;
let relay: PeerRelay;
beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await fixture.relay(roomy);
});
afterAll(() => fixture?.stop());

const bytes = (length: number, first?: number) => {
  const made = new Uint8Array(randomBytes(length));
  if (first !== undefined) made[0] = first;
  return made;
};

test("a stranger who fills a member's queue with what nobody can open delays nothing and ends nothing", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const stranger = await newClient(relay);
  const founded = await ada.create({ name: "Friends" });
  await founded.add([ben.address]);
  const group = await groupOf(ben, "Friends");
  await founded.send({ text: "before" });
  await untilHas(group, "before");

  // Every first byte, which says what an envelope is, in lengths around those of real ones.
  for (let first = 0; first < 16; first++)
    for (const length of [1, 2, 33, 1_000]) await stranger.send({ to: ben.address, ciphertext: bytes(length, first) });
  // Sealed to a real key package, so that it opens, and is no Welcome inside.
  const mls = tsMls();
  for (const length of [1, 2, 500, 2_000]) {
    const [claimed] = await claimKeyPackages(stranger, [ben.address]);
    if (claimed === undefined || "error" in claimed) throw new Error("Ben has no key package");
    const { initKey } = await mls.readKeyPackage(claimed.keyPackage);
    const ciphertext = await sealWelcome({ cipherSuite: mls.cipherSuite, initKey }, bytes(length));
    await stranger.send({ to: ben.address, ciphertext });
  }
  await founded.send({ text: "after" });
  await untilHas(group, "after");
  await group.send({ text: "answered" });
  await untilHas(founded, "answered");
  expect(await textsOf(group)).toEqual(["before", "after", "answered"]);
  expect(group.state).toBe("active");
});
