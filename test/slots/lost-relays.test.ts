import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commitSlotKey } from "../../src/client/slots/slot-names.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { newClient } from "../client/harness.js";
import { runCommand } from "../support/command.js";
import { createTestDatabase } from "../support/database.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";
import { startRelay } from "../support/relay.js";
import { assembleAt, type Committer, createSlotsOf, newEpochs, slotRelayOf } from "./group-program.js";

// What the members of a group do when the relay with its slots has forgotten some of them, or is gone for good.

let fixture: PeerFixture;
beforeAll(async () => {
  fixture = await createPeerFixture();
});
afterAll(() => fixture.stop());

const statesOf = (members: readonly Committer[]) => new Set(members.map(({ member }) => member.authenticator()));

/** The members found one group that continues theirs, with slots at the relay of these devices, and commit in it. */
async function continueAsBranch(
  members: readonly Committer[],
  creators: readonly Committer[],
  at: Parameters<typeof newClient>[0],
) {
  // Several create one at once, and all of them enter the one by the lowest leaf.
  const branches = await Promise.all(
    creators.map(({ member }) => {
      const others = members.filter((one) => one.member !== member).map((one) => one.member.keyPackage);
      return member.branch(`continued by ${member.leaf()}`, others);
    }),
  );
  const [chosen] = branches.sort((a, b) => a.creator - b.creator);
  if (chosen === undefined) throw new Error("nobody has created a branch");
  const seen = newEpochs();
  const continued = await Promise.all(
    members.map(async ({ member }) => {
      await member.joinBranch(chosen);
      await member.store.clear();
      const device = await newClient(at);
      const slots = createSlotsOf(member, { device, relay: await slotRelayOf(device), epochs: seen });
      return { member, slots };
    }),
  );
  expect(statesOf(members).size).toBe(1);
  const results = await Promise.all(continued.map(({ member, slots }) => slots.commit(() => member.makeCommit())));
  expect(results.filter(({ kind }) => kind === "rejoin")).toEqual([]);
  for (const { slots } of continued) await slots.follow();
  expect(statesOf(members).size).toBe(1);
}

test("a relay that was restored from before a commit lets nobody commit in its epoch again, and the group continues as a new one", async () => {
  const [database, masterKey] = [await createTestDatabase(), randomBytes(32).toString("hex")];
  const relay = await startRelay({ databaseUrl: database.url, masterKey });
  const members = (await assembleAt([relay], newEpochs())) as [Committer, Committer, Committer, Committer];
  const [ada, ben, cleo, dora] = members;
  const { domain } = relay.config;
  const { slot } = await commitSlotKey({ domain }, { exporter: ada.member.exporter, attempt: 0 });
  await ada.slots.commit(() => ada.member.makeCommit());
  await ben.slots.follow();
  const relayBefore = await slotRelayOf(await newClient(relay));
  await relay.stop();
  // The backup was made before the commit.
  const db = createDatabase({ url: database.url, poolSize: 1 });
  await db.run("delete from slots where slot = :slot::bytea", { slot: Buffer.from(slot, "hex") });
  await db.close();
  const env = { DATABASE_URL: database.url, MASTER_KEY: masterKey, DOMAIN: domain };
  expect(await runCommand(["after-restore"], env)).toMatchObject({ code: 0 });

  const restored = await startRelay({ databaseUrl: database.url, masterKey });
  try {
    const restarted = { kind: "rejoin", reason: "slots restarted" };
    for (const { member } of members) {
      const device = await newClient(restored);
      const slots = createSlotsOf(member, { device, relay: relayBefore, epochs: newEpochs() });
      expect(await slots.commit(() => member.makeCommit())).toEqual(restarted);
    }
    // Ada and ben have entered the epoch that the relay has forgotten; they found a group with those who have not.
    expect(statesOf([ada, ben]).size).toBe(1);
    expect(statesOf([cleo, dora]).size).toBe(1);
    expect(statesOf(members).size).toBe(2);
    await continueAsBranch([ada, ben], [ada], restored);
  } finally {
    await restored.stop();
    await database.drop();
  }
});

test("a group whose slot relay is gone for good continues as a branch of its last epoch, and has not forked", async () => {
  const [lost, left] = [await fixture.relay(), await fixture.relay()];
  const members = (await assembleAt([lost, left], newEpochs())) as [Committer, Committer, Committer, Committer];
  const [ada, ben] = members;
  await ada.slots.commit(() => ada.member.makeCommit());
  for (const { slots } of members) await slots.follow();
  await lost.stop();
  const epoch = ada.member.epoch();
  for (const { member, slots } of [ada, ben]) {
    await expect(slots.commit(() => member.makeCommit())).rejects.toThrow();
    expect(member.epoch()).toBe(epoch);
  }
  expect(statesOf(members).size).toBe(1);
  await continueAsBranch(members, [ben, ada], left);
});
