import { type ClientState, decodeMlsMessage, type KeyPackage, type Proposal } from "ts-mls";
import { signKeyPackage } from "ts-mls/keyPackage.js";
import { signLeafNodeKeyPackage } from "ts-mls/leafNode.js";
import { expect, test } from "vitest";
import { tsMls } from "../../../src/groups/index.js";
import { type CommitRule, commitRules, judgeCommit } from "../../../src/groups/judging/commit-rules.js";
import { isUsableKey, withStrictSignatures } from "../../../src/groups/judging/keys.js";
import { fastSuite } from "../../../src/groups/mls/ts-mls-crypto.js";
import { isAcceptableKey } from "../../../src/protocol/signature.js";
import { partiesOf } from "../library.js";
import { type Forgery, forgeCommit, withCiphertexts, withLeaf } from "./forging.js";

// Each rule of the list has a commit here that breaks it and none before it. The committer is the second member; the fourth is removed.

const mls = tsMls();
const suite = await fastSuite();
const states = (await partiesOf(5, () => mls)).map(({ state }) => state as ClientState);
const forger = states[1] as ClientState;
const remove: Proposal = { proposalType: "remove", remove: { removed: 3 } };
const zeros = new Uint8Array(32);

const [joining, second] = (await Promise.all(
  ["joining", "second"].map(async (name) => {
    const signer = await mls.newSigner();
    const { keyPackage, privateKeys } = await mls.newKeyPackage({ identity: new TextEncoder().encode(name), signer });
    const read = decodeMlsMessage(keyPackage, 0)?.[0];
    if (read?.wireformat !== "mls_key_package") throw new Error("it is no key package");
    const { signaturePrivateKey: key } = (await import("../../../src/groups/encoding/records.js")).decodeRecord<{
      signaturePrivateKey: Uint8Array;
    }>(privateKeys);
    return { keyPackage: read.keyPackage, key };
  }),
)) as [{ keyPackage: KeyPackage; key: Uint8Array }, { keyPackage: KeyPackage; key: Uint8Array }];

/** Adds a key package that is signed as it should be, with these differences. */
async function adding(leaf: object, rest: object = {}): Promise<Proposal> {
  const { keyPackage, key } = joining;
  const leafNode = await signLeafNodeKeyPackage({ ...keyPackage.leafNode, ...leaf } as never, key, suite.signature);
  return {
    proposalType: "add",
    add: { keyPackage: await signKeyPackage({ ...keyPackage, ...rest, leafNode } as never, key, suite.signature) },
  };
}

const leafOf = (state: ClientState) => {
  const node = state.ratchetTree[2 * state.privatePath.leafIndex];
  if (node?.nodeType !== "leaf") throw new Error("there is no leaf");
  return node.leaf;
};
const { capabilities } = joining.keyPackage.leafNode;

const sameContext: Proposal = {
  proposalType: "group_context_extensions",
  groupContextExtensions: { extensions: forger.groupContext.extensions },
};
/** Proposals that would lead out of the group, or that no member knows. */
const unknown = [
  { proposalType: "external_init", externalInit: { kemOutput: zeros } },
  {
    proposalType: "reinit",
    reinit: { groupId: zeros, version: "mls10", cipherSuite: forger.groupContext.cipherSuite, extensions: [] },
  },
  { proposalType: 0xf0f0, proposalData: zeros },
];

const vectors: Record<CommitRule, Forgery[]> = {
  "has one encoding": [{ bytes: (bytes) => Uint8Array.of(...bytes, 0) }],
  "is of this group and epoch": [{ content: { epoch: 2n } }, { content: { groupId: zeros } }],
  "is signed by a member of the epoch": [
    { message: (message) => ({ ...message, auth: { ...message.auth, signature: new Uint8Array(64) } }) },
    { message: (message) => ({ ...message, membershipTag: zeros }) as typeof message },
    {
      message: (message) =>
        ({
          ...message,
          content: { ...message.content, sender: { senderType: "member", leafIndex: 2 } },
        }) as typeof message,
    },
  ],
  "has its proposals inside, each of a kind that the group knows": [
    { given: [{ proposalOrRefType: "reference", reference: zeros }] },
    {
      given: [
        {
          proposalOrRefType: "proposal",
          proposal: {
            proposalType: "psk",
            psk: { preSharedKeyId: { psktype: "external", pskId: zeros, pskNonce: zeros } },
          },
        },
      ],
    },
    ...unknown.map((proposal) => ({ given: [{ proposalOrRefType: "proposal", proposal }] })),
  ],
  "carries nothing beside its proposals and path": [{ authenticatedData: new Uint8Array(500_000) }],
  "is allowed by the roles": [],
  "has a path unless it only adds": [{ path: () => undefined }, { path: () => undefined, proposals: [remove] }],
  "has proposals that fit": [
    { proposals: [{ proposalType: "remove", remove: { removed: 1 } }] },
    { proposals: [{ proposalType: "remove", remove: { removed: 77 } }] },
    { proposals: [remove, remove] },
    { proposals: [sameContext, sameContext] },
    { proposals: [await adding({}, { cipherSuite: "MLS_128_DHKEMP256_AES128GCM_SHA256_P256" })] },
    { proposals: [await adding({}, { initKey: joining.keyPackage.leafNode.hpkePublicKey })] },
  ],
  "has a confirmation tag of the right length": [{ tag: (tag) => tag.subarray(1) }, { tag: () => new Uint8Array() }],
  "has new leaves that everybody supports": [
    { path: withLeaf(forger, suite, { capabilities: { ...leafOf(forger).capabilities, extensions: [] } }) },
    { path: withLeaf(forger, suite, { capabilities: { ...leafOf(forger).capabilities, credentials: [] } }) },
    { proposals: [await adding({ capabilities: { ...capabilities, credentials: ["x509"] } })] },
    { proposals: [await adding({ capabilities: { ...capabilities, ciphersuites: [] } })] },
  ],
  "has new leaves of a bounded size": [
    {
      path: withLeaf(forger, suite, { extensions: [{ extensionType: 0xf042, extensionData: new Uint8Array(40_000) }] }),
    },
  ],
  "has a leaf of the committer that is signed": [
    { path: (path) => ({ ...path, leafNode: { ...path.leafNode, signature: new Uint8Array(64) } }) },
  ],
  "has a path of the right length, hashes included": [
    { path: (path) => ({ ...path, nodes: path.nodes.slice(1) }) },
    { path: (path) => ({ ...path, nodes: [...path.nodes, ...path.nodes.slice(-1)] }) },
    { path: withLeaf(forger, suite, { parentHash: zeros }) },
    { path: withLeaf(forger, suite, { hpkePublicKey: leafOf(forger).hpkePublicKey }) },
  ],
  "has public keys to which everybody can seal": [
    { path: withLeaf(forger, suite, { hpkePublicKey: zeros }) },
    { path: withLeaf(forger, suite, { hpkePublicKey: Uint8Array.of(1) }) },
    { proposals: [await adding({ hpkePublicKey: zeros })] },
    { proposals: [await adding({}, { initKey: zeros })] },
  ],
  "leads to a tree without two equal keys": [
    { path: withLeaf(forger, suite, { hpkePublicKey: leafOf(states[0] as ClientState).hpkePublicKey }) },
    {
      proposals: [
        await adding({ hpkePublicKey: second.keyPackage.leafNode.hpkePublicKey }),
        { proposalType: "add", add: { keyPackage: second.keyPackage } },
      ],
    },
  ],
  "has a ciphertext for each that needs one": [
    { path: withCiphertexts((all) => all.slice(0, -1)) },
    { path: withCiphertexts((all) => [...all, ...all]) },
    { path: withCiphertexts(() => []), proposals: [remove] },
  ],
  "has ciphertexts of the right form": [
    { path: withCiphertexts((all) => all.map((one) => ({ ...one, ciphertext: new Uint8Array(47) }))) },
    { path: withCiphertexts((all) => all.map((one) => ({ ...one, kemOutput: zeros }))) },
  ],
  "has the right confirmation tag if it only adds": [
    { proposals: [await adding({})], tag: (tag) => new Uint8Array(tag.length) },
  ],
};

const everybody = states.map((state, at) => [at, state] as const);

test.each(Object.keys(commitRules) as CommitRule[])("a commit is void for every member unless it %s", async (rule) => {
  const isAllowed = () => rule !== "is allowed by the roles";
  for (const forgery of rule === "is allowed by the roles" ? [{}] : vectors[rule]) {
    const bytes = await forgeCommit(forger, suite, forgery);
    for (const [at, state] of everybody)
      expect([at, await judgeCommit(state, { bytes, isAllowed }, suite)]).toEqual([at, { kind: "void", broken: rule }]);
    for (const state of states) expect(await mls.process(state, bytes, isAllowed)).toEqual({ kind: "void" });
  }
});

test("a commit that keeps the rules counts for every member, also if only some can use it", async () => {
  const spoiled = withCiphertexts((all) =>
    all.map((one, at) => (at === 0 ? { ...one, ciphertext: new Uint8Array(48) } : one)),
  );
  const forgeries: Forgery[] = [
    {},
    { proposals: [remove] },
    { proposals: [await adding({})] },
    // Clocks differ, so nobody asks when a key package was good.
    { proposals: [await adding({ lifetime: { notBefore: 0n, notAfter: 1n } })] },
    { proposals: [await adding({ lifetime: { notBefore: 2n ** 60n, notAfter: 2n ** 60n + 1n } })] },
    { path: spoiled },
    { tag: () => zeros },
  ];
  for (const forgery of forgeries) {
    const bytes = await forgeCommit(forger, suite, forgery);
    for (const state of states)
      expect(await judgeCommit(state, { bytes, isAllowed: () => true }, suite)).toMatchObject({ kind: "counts" });
  }
  for (const broken of [new Uint8Array(), new Uint8Array(100)])
    expect(await judgeCommit(forger, { bytes: broken, isAllowed: () => true }, suite)).toEqual({
      kind: "void",
      broken: "unread",
    });
});

test("keys and signatures that platforms treat differently are refused", async () => {
  const order8 = Buffer.from("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800", "hex");
  const prime = Buffer.from(`ed${"ff".repeat(30)}7f`, "hex");
  for (const key of [zeros, Uint8Array.of(1, ...zeros.subarray(1)), order8, prime, new Uint8Array(31)])
    expect(isUsableKey(key)).toBe(false);
  expect(isUsableKey(joining.keyPackage.initKey)).toBe(true);
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
