import {
  type CiphersuiteImpl,
  type ClientState,
  decodeMlsMessage,
  type Extension,
  type KeyPackage,
  type Proposal,
} from "ts-mls";
import { signKeyPackage } from "ts-mls/keyPackage.js";
import { signLeafNodeKeyPackage } from "ts-mls/leafNode.js";
import { decodeRecord } from "../../../src/groups/encoding/records.js";
import { tsMls } from "../../../src/groups/index.js";
import type { CommitRule } from "../../../src/groups/judging/commit-rules.js";
import { type Forgery, withCiphertexts, withLeaf } from "./forging.js";

const zeros = new Uint8Array(32);

interface Joining {
  keyPackage: KeyPackage;
  key: Uint8Array;
}

async function newJoining(name: string): Promise<Joining> {
  const mls = tsMls();
  const signer = await mls.newSigner();
  const { keyPackage, privateKeys } = await mls.newKeyPackage({ identity: new TextEncoder().encode(name), signer });
  const read = decodeMlsMessage(keyPackage, 0)?.[0];
  if (read?.wireformat !== "mls_key_package") throw new Error("it is no key package");
  const { signaturePrivateKey: key } = decodeRecord<{ signaturePrivateKey: Uint8Array }>(privateKeys);
  return { keyPackage: read.keyPackage, key };
}

function leafAt({ ratchetTree }: ClientState, index: number) {
  const node = ratchetTree[2 * index];
  if (node?.nodeType !== "leaf") throw new Error("there is no leaf");
  return node.leaf;
}

const extension = (extensionType: Extension["extensionType"]): Extension => ({ extensionType, extensionData: zeros });

/**
 * Commits of a member, not the first one, in a group where leaf 3 can be removed: such that break one rule each and none before it, and such
 * that keep all.
 */
export async function forgeriesOf(forger: ClientState, suite: CiphersuiteImpl) {
  const [joining, second] = [await newJoining("joining"), await newJoining("second")];
  const remove: Proposal = { proposalType: "remove", remove: { removed: 3 } };
  /** Adds a key package that is signed as it should be, with these differences. */
  const adding = async (leaf: object, rest: object = {}, { keyPackage, key } = joining): Promise<Proposal> => {
    const leafNode = await signLeafNodeKeyPackage({ ...keyPackage.leafNode, ...leaf } as never, key, suite.signature);
    return {
      proposalType: "add",
      add: { keyPackage: await signKeyPackage({ ...keyPackage, ...rest, leafNode } as never, key, suite.signature) },
    };
  };
  const { capabilities, hpkePublicKey: encryptionKey } = joining.keyPackage.leafNode;
  const own = leafAt(forger, forger.privatePath.leafIndex);
  const { hpkePublicKey: othersKey } = leafAt(forger, 0);

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

  const broken: Record<CommitRule, Forgery[]> = {
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
      { proposals: [{ proposalType: "remove", remove: { removed: forger.privatePath.leafIndex } }] },
      { proposals: [{ proposalType: "remove", remove: { removed: 77 } }] },
      { proposals: [remove, remove] },
      { proposals: [sameContext, sameContext] },
      { proposals: [await adding({}, { cipherSuite: "MLS_128_DHKEMP256_AES128GCM_SHA256_P256" })] },
      { proposals: [await adding({}, { initKey: encryptionKey })] },
      // As any other program for MLS would have it.
      { proposals: [await adding({ capabilities: { ...capabilities, extensions: [] } })] },
    ],
    "has a confirmation tag of the right length": [{ tag: (tag) => tag.subarray(1) }, { tag: () => new Uint8Array() }],
    "has new leaves that everybody supports": [
      { path: withLeaf(forger, suite, { capabilities: { ...own.capabilities, extensions: [] } }) },
      { path: withLeaf(forger, suite, { capabilities: { ...own.capabilities, credentials: [] } }) },
      { proposals: [await adding({ capabilities: { ...capabilities, credentials: ["x509"] } })] },
      { proposals: [await adding({ capabilities: { ...capabilities, ciphersuites: [] } })] },
      { proposals: [await adding({}, { extensions: [extension(0xf0f0)] })] },
    ],
    "has new leaves whose extensions are for private use, each once": [
      { path: withLeaf(forger, suite, { extensions: [extension("application_id")] }) },
      { path: withLeaf(forger, suite, { extensions: [extension(0xf042), extension(0xf042)] }) },
      { proposals: [await adding({ extensions: [extension("external_senders")] })] },
      { proposals: [await adding({}, { extensions: [extension("ratchet_tree")] })] },
    ],
    "has new leaves of a bounded size": [
      {
        path: withLeaf(forger, suite, {
          extensions: [{ extensionType: 0xf042, extensionData: new Uint8Array(40_000) }],
        }),
      },
    ],
    "has a leaf of the committer that is signed": [
      { path: (path) => ({ ...path, leafNode: { ...path.leafNode, signature: new Uint8Array(64) } }) },
    ],
    "has a path of the right length, hashes included": [
      { path: (path) => ({ ...path, nodes: path.nodes.slice(1) }) },
      { path: (path) => ({ ...path, nodes: [...path.nodes, ...path.nodes.slice(-1)] }) },
      { path: withLeaf(forger, suite, { parentHash: zeros }) },
      { path: withLeaf(forger, suite, { hpkePublicKey: own.hpkePublicKey }) },
    ],
    "has public keys to which everybody can seal": [
      { path: withLeaf(forger, suite, { hpkePublicKey: zeros }) },
      { path: withLeaf(forger, suite, { hpkePublicKey: Uint8Array.of(1) }) },
      { proposals: [await adding({ hpkePublicKey: zeros })] },
      { proposals: [await adding({}, { initKey: zeros })] },
    ],
    "leads to a tree without two equal keys": [
      { path: withLeaf(forger, suite, { hpkePublicKey: othersKey }) },
      {
        proposals: [
          await adding({ hpkePublicKey: second.keyPackage.leafNode.hpkePublicKey }),
          { proposalType: "add", add: { keyPackage: second.keyPackage } },
        ],
      },
      { proposals: [await adding({}, { initKey: othersKey })] },
      { proposals: [await adding({}, { initKey: second.keyPackage.initKey }), await adding({}, {}, second)] },
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
  const spoiled = withCiphertexts((all) =>
    all.map((one, at) => (at === 0 ? { ...one, ciphertext: new Uint8Array(48) } : one)),
  );
  const counting = {
    usable: [{}, { proposals: [remove] }, { proposals: [await adding({})] }],
    // Clocks differ, so nobody asks when a key package was good.
    outdated: [
      { proposals: [await adding({ lifetime: { notBefore: 0n, notAfter: 1n } })] },
      { proposals: [await adding({ lifetime: { notBefore: 2n ** 60n, notAfter: 2n ** 60n + 1n } })] },
    ],
    disputed: [{ path: spoiled }, { tag: () => zeros }],
  } satisfies Record<string, Forgery[]>;
  return { broken, counting };
}
