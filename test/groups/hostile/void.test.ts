import type { ClientState } from "ts-mls";
import { expect, test } from "vitest";
import { tsMls } from "../../../src/groups/index.js";
import { type CommitRule, commitRules, judgeCommit } from "../../../src/groups/judging/commit-rules.js";
import { isUsableKey, withStrictSignatures } from "../../../src/groups/judging/keys.js";
import { fastSuite } from "../../../src/groups/mls/ts-mls-crypto.js";
import { isAcceptableKey } from "../../../src/protocol/signature.js";
import { partiesOf } from "../library.js";
import { forgeriesOf } from "./forgeries.js";
import { forgeCommit } from "./forging.js";

// Each rule of the list has a commit here that breaks it and none before it. The committer is the second member; the fourth is removed.

const mls = tsMls();
const suite = await fastSuite();
const states = (await partiesOf(5, () => mls)).map(({ state }) => state as ClientState);
const forger = states[1] as ClientState;
const zeros = new Uint8Array(32);
const { broken, counting } = await forgeriesOf(forger, suite);

const everybody = states.map((state, at) => [at, state] as const);

test.each(Object.keys(commitRules) as CommitRule[])("a commit is void for every member unless it %s", async (rule) => {
  const isAllowed = () => rule !== "is allowed by the roles";
  for (const forgery of rule === "is allowed by the roles" ? [{}] : broken[rule]) {
    const bytes = await forgeCommit(forger, suite, forgery);
    for (const [at, state] of everybody)
      expect([at, await judgeCommit(state, { bytes, isAllowed }, suite)]).toEqual([at, { kind: "void", broken: rule }]);
    for (const state of states) expect(await mls.process(state, bytes, isAllowed)).toEqual({ kind: "void" });
  }
});

test("a commit that keeps the rules counts for every member, also if only some can use it", async () => {
  for (const forgery of Object.values(counting).flat()) {
    const bytes = await forgeCommit(forger, suite, forgery);
    for (const state of states)
      expect(await judgeCommit(state, { bytes, isAllowed: () => true }, suite)).toMatchObject({ kind: "counts" });
  }
  for (const bytes of [new Uint8Array(), new Uint8Array(100)])
    expect(await judgeCommit(forger, { bytes, isAllowed: () => true }, suite)).toEqual({
      kind: "void",
      broken: "unread",
    });
});

test("keys and signatures that platforms treat differently are refused", async () => {
  const order8 = Buffer.from("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800", "hex");
  const prime = Buffer.from(`ed${"ff".repeat(30)}7f`, "hex");
  for (const key of [zeros, Uint8Array.of(1, ...zeros.subarray(1)), order8, prime, new Uint8Array(31)])
    expect(isUsableKey(key)).toBe(false);
  const { keyPackage } = await mls.newKeyPackage({ identity: zeros, signer: await mls.newSigner() });
  expect(isUsableKey((await mls.readKeyPackage(keyPackage)).initKey)).toBe(true);
  // Under a key of small order, everybody can sign.
  const signature = { ...suite.signature, verify: async () => true };
  const { verify } = withStrictSignatures(signature);
  const point = Uint8Array.of(1, ...zeros.subarray(1));
  const { publicKey } = await suite.signature.keygen();
  expect(isAcceptableKey(publicKey)).toBe(true);
  expect(await verify(point, zeros, new Uint8Array(64).fill(7))).toBe(false);
  expect(await verify(publicKey, zeros, new Uint8Array([...point, ...zeros]))).toBe(false);
  expect(await verify(publicKey, zeros, new Uint8Array(64).fill(7))).toBe(true);
});
