import type { ClientState, Proposal } from "ts-mls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { epochKeysOf, openEnvelope } from "../../src/client/index.js";
import { readAttempts } from "../../src/client/slots/attempts.js";
import { type Groups, tsMls } from "../../src/groups/index.js";
import { type CommitRule, commitRules } from "../../src/groups/judging/commit-rules.js";
import { takersOf } from "../../src/groups/mls/commit-replacement.js";
import { judged } from "../../src/groups/mls/judged.js";
import { isAllowed } from "../../src/groups/mls/permissions.js";
import { fastSuite } from "../../src/groups/mls/ts-mls-hpke.js";
import { contextOf, take } from "../groups/hostile/attempts.js";
import { forgeriesOf } from "../groups/hostile/forgeries.js";
import { type Forgery, forgeCommit } from "../groups/hostile/forging.js";
import { Mallory, openToBecome } from "../groups/hostile/mallory.js";
import { kindsFor, partiesOf } from "../groups/library.js";
import { groupOf, openPerson, roomy, untilHas, untilSame } from "../groups/people.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { startOpenMls } from "./adapter.js";

// A member whose ts-mls was changed, against members by both libraries. test/groups/hostile/disputes has what only some can see.

const [ts, program] = [tsMls(), startOpenMls()];
const openMls = judged(program.mls, tsMls());
const suite = await fastSuite();
/** The second makes the commits, and the fourth is removed. */
const parties = await partiesOf(5, (at) => ([1, 2].includes(at) ? ts : openMls));
const forger = parties[1]?.state as ClientState;
const { broken, counting } = await forgeriesOf(forger, suite);

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(async () => {
  await program.stop();
  await relay?.stop();
});

const rules = Object.keys(commitRules) as CommitRule[];

test.each(rules)("a commit is void for members by both libraries unless it %s", async (rule) => {
  const isAllowedHere = () => rule !== "is allowed by the roles";
  for (const forgery of rule === "is allowed by the roles" ? [{}] : broken[rule]) {
    const bytes = await forgeCommit(forger, suite, forgery);
    for (const { mls, state } of parties)
      expect(await mls.process(state, bytes, isAllowedHere)).toEqual({ kind: "void" });
  }
});

test("a commit that keeps the rules counts for members by both libraries", async () => {
  const kindsOf = async (forgeries: (typeof counting)["usable" | "outdated" | "disputed"]) =>
    Promise.all(forgeries.map(async (forgery) => kindsFor(parties, await forgeCommit(forger, suite, forgery))));
  const usable = ["valid", "unusable", "valid", "valid", "valid"];
  expect(await kindsOf(counting.usable)).toEqual(counting.usable.map(() => usable));
  // OpenMLS asks its own clock.
  const outdated = ["unusable", "unusable", "valid", "unusable", "unusable"];
  expect(await kindsOf(counting.outdated)).toEqual(counting.outdated.map(() => outdated));
  for (const kinds of await kindsOf(counting.disputed)) {
    expect(kinds).toContain("unusable");
    expect(kinds).not.toContain("void");
  }
});

test("members by both libraries seal path secrets for each other", async () => {
  const isAllowed = () => true;
  const commit = await forgeCommit(forger, suite, {});
  const [expected] = await Promise.all(
    parties.slice(0, 1).map(({ mls, state }) => mls.process(state, commit, isAllowed)),
  );
  if (expected?.kind !== "valid") throw new Error("the commit cannot be used");
  const secretOf = (at: number, state: unknown) => parties[at]?.mls.exporterOf(state)("test", new Uint8Array(), 32);
  const repaired = async (by: number, leaf: number) => {
    const [helper, helped] = [parties[by], parties[leaf]];
    const repair = await helper?.mls.repair?.(helper.state, { commit, isAllowed, leaf });
    return repair && helped?.mls.processRepaired?.(helped.state, { commit, isAllowed, repair });
  };
  for (const [by, leaf] of [
    [0, 2],
    [0, 3],
    [2, 3],
    [3, 2],
    [4, 2],
  ] as const) {
    const processed = await repaired(by, leaf);
    expect([by, leaf, processed?.kind]).toEqual([by, leaf, "valid"]);
    if (processed?.kind === "valid")
      expect(await secretOf(leaf, processed.state)).toEqual(await secretOf(0, expected.state));
  }
  // OpenMLS begins at the lowest node above the member and the committer.
  expect(await repaired(2, 0)).toEqual({ kind: "unusable" });
});

/** The state after the commit that counts, which Mallory reads in the epoch's slot as a member does. */
async function followed({ carrier, state, secrets }: Mallory): Promise<unknown> {
  const { slots } = contextOf(state);
  const exporter = ts.exporterOf(state);
  const view = ts.view(state);
  const takers = { users: () => takersOf(view), secretKey: secrets.deviceSecret };
  const keys = await epochKeysOf(exporter);
  for await (const { content } of readAttempts({ device: carrier.device, relay: slots, exporter, takers, from: 0 })) {
    const opened = openEnvelope(keys, content);
    const processed = opened && (await ts.process(state, opened, (signed) => isAllowed(view, signed)));
    if (processed?.kind === "valid") return processed.state;
  }
  throw new Error("no commit counts");
}

test("a group with members by both libraries goes on after every void commit", async () => {
  const librariesOf = { Ada: ts, Ben: program.mls, Cleo: ts, Dora: program.mls };
  const people = await Promise.all(Object.entries(librariesOf).map(([name, mls]) => openPerson(relay, name, { mls })));
  const [ada, ...others] = people as [Groups, ...Groups[]];
  const hers = await openToBecome(relay, "Mallory");
  const adas = await ada.create({ name: "Void", everyone: ["send", "invite", "remove", "rename"] });
  for (const { address } of [hers.groups, ...others]) await adas.add([address]);
  const groups = [adas, ...(await Promise.all(others.map((one) => groupOf(one, "Void"))))];
  await untilSame([...groups, await groupOf(hers.groups, "Void")]);
  await hers.groups.close();
  const mallory = await Mallory.from(relay, hers.store, adas.id);
  const withoutRoles: Proposal = {
    proposalType: "group_context_extensions",
    groupContextExtensions: { extensions: [] },
  };
  // The first two attempts of an epoch are open to all.
  for (let at = 0; at < rules.length; at += 2) {
    const state = mallory.state as ClientState;
    const forged = { ...(await forgeriesOf(state, suite)).broken };
    forged["is allowed by the roles"] = [{ proposals: [withoutRoles] }];
    for (const [attempt, rule] of rules.slice(at, at + 2).entries()) {
      const bytes = await forgeCommit(state, suite, forged[rule][0] as Forgery);
      expect(await take(mallory.carrier, { state, bytes, attempt })).toBe(true);
    }
    await groups[(at / 2) % groups.length]?.rename(`Void ${at}`);
    await untilSame(groups);
    mallory.state = await followed(mallory);
    expect(ts.view(mallory.state).epoch).toBe(adas.epoch);
  }
  const texts = groups.map((_, at) => `text ${at}`);
  for (const [at, group] of groups.entries()) await group.send({ text: texts[at] as string });
  for (const group of groups) await untilHas(group, ...texts);
});
