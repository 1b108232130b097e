// The commit that replaces a disputed one and removes its author.

import { type MadeCommit, sealEnvelope } from "../../client/index.js";
import { encodeRecord } from "../encoding/records.js";
import type { Change } from "../mls/changes.js";
import { type Grounds, leavesOfUser, writeReplacement } from "../mls/commit-replacement.js";
import type { DeviceCore } from "../sending/device-core.js";
import type { OwnCommit } from "./applying-commits.js";
import { complain } from "./disputes.js";
import { planIn } from "./making-commits.js";
import type { Membership } from "./membership.js";

/** The wait until another member makes the replacement. */
const standInMillis = 5_000;

export class Replacements {
  readonly #core: DeviceCore;
  readonly #membership: Membership;
  readonly #followAgain: () => void;
  /** The replacement that this device makes if those before it have not. */
  #turn: { of: string; hasCome: boolean } | undefined;

  /** `followAgain` asks the slots once it is this device's turn. */
  constructor(core: DeviceCore, membership: Membership, followAgain: () => void) {
    this.#core = core;
    this.#membership = membership;
    this.#followAgain = followAgain;
  }

  /** Replaces a commit that this device cannot use, once more than half of the users have said that they cannot use it. */
  async make(disputed: Uint8Array): Promise<MadeCommit | undefined> {
    const membership = this.#membership;
    const { ledger, mls, problem } = this.#core;
    const grounds = await ledger.inTurn((transaction) => complain(transaction, membership, disputed));
    if (grounds === undefined || !this.#isTurn(grounds)) return undefined;
    try {
      const plan = planIn(this.#core, membership, removalOf(grounds.committer, membership));
      if (plan === undefined) return undefined;
      const { commit, state } = await mls.commit(membership.mlsState, plan.change);
      const own: OwnCommit = { next: mls.save(state), joiners: [] };
      const content = sealEnvelope(membership.keys, writeReplacement(commit, grounds));
      return { content, state: encodeRecord(own), isReplacement: true };
    } catch (what) {
      problem(what);
      return undefined;
    }
  }

  /** Of the members who have complained, the one with the lowest leaf makes the replacement; the others do so if nothing happens for a while. */
  #isTurn({ statements, commit: of }: Grounds): boolean {
    const { ownLeaf } = this.#membership.view;
    if (statements.every(({ leaf }) => leaf >= ownLeaf)) return true;
    if (this.#turn?.of === of) return this.#turn.hasCome;
    const turn = { of, hasCome: false };
    this.#turn = turn;
    const come = () => {
      turn.hasCome = true;
      this.#followAgain();
    };
    this.#core.sleep(standInMillis).then(come, () => undefined);
    return false;
  }
}

function removalOf(committer: number, membership: Membership): Change {
  const { view } = membership;
  const leaves = leavesOfUser(view, committer);
  const author = membership.members().find(({ id }) => id === committer);
  const members = view.leaves.flatMap(({ index, signatureKey }) =>
    leaves.includes(index) ? [{ leaf: index, signatureKey }] : [],
  );
  return { kind: "remove", members, ...(author?.isSigned && { banned: [author.user] }), isReplacement: true };
}
