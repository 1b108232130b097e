// The commit loops of all groups. Other parts use it to have something done in one of them.

import type { SealedMessage } from "../../client/index.js";
import { doublingWait } from "../../protocol/doubling-wait.js";
import type { Body } from "../encoding/content.js";
import type { Transaction } from "../store/ledger.js";
import { CommitLoop, type CommitLoopParts } from "./commit-loop.js";
import type { FollowUp } from "./follow-ups.js";
import type { Membership } from "./membership.js";
import { sealAgain } from "./sealing.js";

const followAfterMillis = 1_500;
/** Anybody can send envelopes that no key opens. As long as they lead to no further epoch, all slots are read less and less often. */
const longestFollowAfterMillis = 60_000;

/** A loop starts when it has work to do. */
export class CommitLoops {
  readonly #parts: CommitLoopParts;
  readonly #memberships: ReadonlyMap<string, Membership>;
  readonly #loops = new Map<string, CommitLoop>();
  #willFollow = false;
  /** When a group last entered an epoch, and how often the slots were read since. */
  #newestMillis = 0;
  #readings = 0;

  constructor(parts: CommitLoopParts, memberships: ReadonlyMap<string, Membership>) {
    this.#parts = parts;
    this.#memberships = memberships;
  }

  /** The loops of all groups that this device is or was in. */
  all(): CommitLoop[] {
    return [...this.#memberships.values()].map((membership) => this.of(membership));
  }

  of(membership: Membership): CommitLoop {
    const known = this.#loops.get(membership.id);
    if (known !== undefined) return known;
    const commits = new CommitLoop(this.#parts, membership);
    this.#loops.set(membership.id, commits);
    commits.resume();
    return commits;
  }

  /** The group is forgotten. */
  forget(group: string): void {
    const commits = this.#loops.get(group);
    this.#loops.delete(group);
    commits?.noteEnd();
  }

  do(followUps: readonly FollowUp[]): void {
    for (const followUp of followUps) {
      if (followUp.kind === "waiting") {
        this.#followSoon();
        continue;
      }
      const membership = this.#memberships.get(followUp.group);
      if (membership !== undefined) this.of(membership).do(followUp);
    }
  }

  /** The news of the commit is usually on its way, so the slots of all groups are asked only a little later. */
  #followSoon(): void {
    if (this.#willFollow) return;
    this.#willFollow = true;
    const newestMillis = [...this.#memberships.values()].reduce((most, one) => Math.max(most, one.enteredAtMillis), 0);
    this.#readings = newestMillis > this.#newestMillis ? 1 : this.#readings + 1;
    this.#newestMillis = newestMillis;
    const after = doublingWait(this.#readings, { first: followAfterMillis, longest: longestFollowAfterMillis });
    const follow = () => {
      this.#willFollow = false;
      for (const commits of this.all()) commits.follow();
    };
    this.#parts.core.sleep(after).then(follow, () => undefined);
  }

  async followed(group: string): Promise<void> {
    const membership = this.#memberships.get(group);
    if (membership !== undefined) await this.of(membership).followed();
  }

  isNewerEpoch(group: string, thanMillis: number): boolean {
    const membership = this.#memberships.get(group);
    return membership?.isActive !== true || membership.enteredAtMillis > thanMillis;
  }

  async sealAgain(transaction: Transaction, group: string, body: Body): Promise<SealedMessage[] | undefined> {
    const membership = this.#memberships.get(group);
    return membership && sealAgain(transaction, membership, body);
  }
}
