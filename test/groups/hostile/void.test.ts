import { randomUUID } from "node:crypto";
import type { ClientState } from "ts-mls";
import { expect, test } from "vitest";
import { deviceKeysOf, newSecretKey } from "../../../src/client/index.js";
import { type Change, tsMls } from "../../../src/groups/index.js";
import { type CommitRule, commitRules, judgeCommit } from "../../../src/groups/judging/commit-rules.js";
import { isUsableKey, withStrictSignatures } from "../../../src/groups/judging/refused-keys.js";
import { readWelcomes, writeWelcome } from "../../../src/groups/membership/welcomes.js";
import { encodeIdentity } from "../../../src/groups/mls/members.js";
import { isAllowed } from "../../../src/groups/mls/permissions.js";
import { fastSuite } from "../../../src/groups/mls/ts-mls-hpke.js";
import { type Successor, succeed } from "../../../src/groups/mls/user-keys.js";
import { encodeHex } from "../../../src/protocol/encodings.js";
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
type Keys = [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
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

test("a commit with a leaf that goes back behind the last key of its user is void for every member", async () => {
  const [first, second, other, third, adas] = Array.from({ length: 5 }, () => newSecretKey()) as Keys;
  const { publicKey } = deviceKeysOf(first);
  const identityOf = async (signer: Uint8Array, deviceSecret: Uint8Array, [user, ...later]: Uint8Array[]) => {
    const of = { user: encodeHex(deviceKeysOf(user as Uint8Array).publicKey), successors: [] as Successor[] };
    let last = user as Uint8Array;
    for (const next of later) {
      of.successors = succeed(of, { last, next });
      last = next;
    }
    const address = `${randomUUID()}@relay.example`;
    const secrets = { userSecret: last, deviceSecret, signatureKey: await mls.publicKeyOf(signer) };
    return encodeIdentity({ name: "Ben", address, ...of }, secrets);
  };
  const newDevice = async (chain: Uint8Array[]) => {
    const [signer, deviceSecret] = [await mls.newSigner(), newSecretKey()];
    const withKeys = (keys: Uint8Array[]) => identityOf(signer, deviceSecret, keys);
    return { withKeys, own: await mls.newKeyPackage({ identity: await withKeys(chain), signer }) };
  };
  const signer = await mls.newSigner();
  const identity = await identityOf(signer, newSecretKey(), [adas]);
  const founded = await mls.found({ groupId: publicKey, identity, signer, extensions: new Map() });
  // The laptop has not heard yet of the key that the phone has.
  const [phone, laptop] = [await newDevice([first, second]), await newDevice([first])];
  const made = await mls.commit(founded, { add: [phone, laptop].map(({ own }) => own.keyPackage) });
  const welcomes = readWelcomes(made.welcome as Uint8Array);
  const [onPhone, onLaptop] = await Promise.all(
    [phone, laptop].map(async ({ own }, at) => {
      const welcome = writeWelcome(welcomes, welcomes.secrets[at] as Uint8Array);
      return (await mls.join({ welcome, own })).state;
    }),
  );
  const all = [made.state, onPhone, onLaptop];
  const adding = async (...chain: Uint8Array[]) => ({ add: [(await newDevice(chain)).own.keyPackage] });
  const kindsOf = async (by: unknown, change: Change) => {
    const { commit } = await mls.commit(by as ClientState, change);
    const others = all.filter((state) => state !== by) as ClientState[];
    const processed = others.map((state) => mls.process(state, commit, (asked) => isAllowed(mls.view(state), asked)));
    return (await Promise.all(processed)).map(({ kind }) => kind);
  };
  const refused: [unknown, Change][] = [
    [made.state, await adding(first)],
    [made.state, await adding(first, other)],
    [onLaptop, await adding(first)],
    [onPhone, { identity: await phone.withKeys([first]) }],
    [onLaptop, { identity: await laptop.withKeys([first, other]) }],
  ];
  for (const [by, change] of refused) expect(await kindsOf(by, change)).toEqual(["void", "void"]);
  const allowed: [unknown, Change][] = [
    [made.state, await adding(first, second)],
    [made.state, await adding(first, second, third)],
    [onLaptop, { identity: await laptop.withKeys([first]) }],
    [onLaptop, { identity: await laptop.withKeys([first, second]) }],
    [onPhone, { identity: await phone.withKeys([first, second, third]) }],
  ];
  for (const [by, change] of allowed) expect(await kindsOf(by, change)).toEqual(["valid", "valid"]);
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
