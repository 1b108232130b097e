import type { ClientState } from "ts-mls";
import { defaultClientConfig } from "ts-mls/clientConfig.js";
import { toLeafIndex } from "ts-mls/treemath.js";
import { firstCommonAncestor } from "ts-mls/updatePath.js";
import { judgeCommit } from "../../src/groups/judging/commit-rules.js";
import { derivePath, openPathSecret, openRepair, sealRepair } from "../../src/groups/judging/path-secrets.js";
import type { GroupView } from "../../src/groups/mls/mls.js";
import { fastSuite } from "../../src/groups/mls/ts-mls-hpke.js";
import { decodeOutline } from "../../src/groups/mls/ts-mls-outline.js";
import { encodeHex } from "../../src/protocol/encodings.js";

/** What a member of OpenMLS knows of an epoch, with the keys to which others seal path secrets to it. */
interface Known {
  outline: Uint8Array;
  view: GroupView;
  /** Public and private ones. */
  pairs: [Uint8Array, Uint8Array][];
}

/** How members help each other with a commit that some cannot use: done by the parts of ts-mls, because OpenMLS has no calls for it. */
export async function helpWith({ outline, view, pairs }: Known, bytes: Uint8Array) {
  const suite = await fastSuite();
  const epoch = decodeOutline(outline);
  const keys = new Map(pairs.map(([publicKey, privateKey]) => [encodeHex(publicKey), privateKey]));
  const privateKeys: Record<number, Uint8Array> = {};
  for (const [at, node] of epoch.ratchetTree.entries()) {
    const key = node?.nodeType === "leaf" ? node.leaf.hpkePublicKey : node?.parent.hpkePublicKey;
    const own = key && keys.get(encodeHex(key));
    if (own !== undefined) privateKeys[at] = own;
  }
  const privatePath = { leafIndex: view.ownLeaf, privateKeys };
  // Only its keys and what all can see are used of the state.
  const state = {
    ...epoch,
    unappliedProposals: {},
    privatePath,
    clientConfig: defaultClientConfig,
  } as unknown as ClientState;
  const judged = await judgeCommit(state, { bytes, isAllowed: () => true, isOutside: true }, suite);
  if (judged.kind === "void" || judged.commit.path === undefined) return undefined;
  const { commit } = judged;
  return {
    /** Seals the path secret that this member has opened to another one's leaf. */
    async seal(leaf: number): Promise<Uint8Array | undefined> {
      const opened = await openPathSecret(commit, suite);
      const derived = opened && (await derivePath(commit, opened, suite));
      return derived && opened && sealRepair(commit, { leaf, opened }, suite);
    },
    /** Undefined if it is not of the lowest node above this member and the committer: OpenMLS begins there. */
    async open(repair: Uint8Array): Promise<Uint8Array | undefined> {
      const own = toLeafIndex(view.ownLeaf);
      try {
        const { node, secret } = await openRepair(commit, repair, suite);
        return node === firstCommonAncestor(commit.tree, own, commit.committer) ? secret : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
