// The commits of one group, this device's and those of others: one loop, which alone talks to the commit slots. It waits for the network and for
// the ledger; nothing in the ledger waits for it.

import { sha256 } from "@noble/hashes/sha2.js";
import {
  AnswerError,
  type CommitResult,
  type CommitSlots,
  ConnectionError,
  claimKeyPackages,
  createCommitSlots,
  type FollowResult,
  type MadeCommit,
  type PendingCommit,
  sealEnvelope,
} from "../client/index.js";
import { encodeHex, utf8 } from "../protocol/encodings.js";
import { type Change, dueAt, type Joiner, planOf, type Refused, UnreachableError } from "./changes.js";
import type { CommitNews } from "./content.js";
import type { Core } from "./core.js";
import { joinerOf } from "./joiners.js";
import { encodeIdentity } from "./members.js";
import type { Membership, OwnCommit } from "./membership.js";
import type { MadeChange, Change as MlsChange, ProposalKind } from "./mls.js";
import { isAllowed, NotPermittedError } from "./permissions.js";
import { decodeRecord, encodeRecord } from "./records.js";
import { shareGroupInfo } from "./shared-info.js";
import { readWelcomes } from "./welcomes.js";

const firstPauseMillis = 1_000;
const longestPauseMillis = 60_000;

interface Waiter {
  resolve(): void;
  reject(problem: unknown): void;
}

/** A call has ended a group's membership: there is nothing left to do in this loop. */
class MembershipEnded extends Error {}

export class Commits {
  readonly #core: Core;
  readonly #membership: Membership;
  #createdSlots: CommitSlots | undefined;
  readonly #waiters = new Map<string, Waiter>();
  #news: CommitNews[] = [];
  /** Whether the slots are to be asked for commits that nobody has told of. */
  #mustFollow = false;
  /** The ledger's number when following was put off. */
  #putOff: number | undefined;
  /** Whom to tell once the slots have no further commit. */
  #followers: (() => void)[] = [];
  /** Whether there may be changes in the store. */
  #mayChange = false;
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  /** Who could not be added by the change in hand. */
  #refused: { change: string; refused: readonly Refused[] } | undefined;

  constructor(core: Core, membership: Membership) {
    this.#core = core;
    this.#membership = membership;
    membership.onNews = (news) => {
      this.#news.push(news);
      this.#start();
    };
    membership.onChange = () => {
      this.#mayChange = true;
      this.#start();
    };
    membership.onCarriedOut = (change) => this.#settle(change, this.#refusedOf(change));
    membership.onEnded = () => {
      this.#rejectAll();
      this.#tellFollowers();
    };
  }

  /** Asks the slots for commits that this device has not heard of. Call it only when the queue is empty. */
  follow(): void {
    this.#mustFollow = true;
    this.#start();
  }

  /** Resolves once the slots that are asked from now on have no further commit, or the membership has ended. */
  async followed(): Promise<void> {
    if (!this.#membership.isActive) return;
    await new Promise<void>((resolve) => {
      this.#followers.push(resolve);
      this.follow();
    });
  }

  /** Goes on with what a crash has left. */
  resume(): void {
    this.#mayChange = true;
    this.#mustFollow = true;
    this.#start();
  }

  /** Try again now if a wait is going on. */
  hurry(): void {
    this.#wake?.();
  }

  /** Stores a change, and resolves once the group is so. */
  async change(change: Change): Promise<void> {
    const { ledger } = this.#core;
    const carriedOut = await ledger.inTurn(async (transaction) => {
      if (!this.#membership.isActive) throw new Error(`this device is not in the group: ${this.#membership.state}`);
      const key = this.#membership.want(transaction, change);
      const done = new Promise<void>((resolve, reject) => this.#waiters.set(key, { resolve, reject }));
      done.catch(() => undefined);
      await transaction.commit();
      return { done };
    });
    await carriedOut.done;
  }

  /** Ends with the device. What waits for a change must not wait for ever; the change itself goes on after the next start. */
  async end(): Promise<void> {
    await this.#running;
    for (const key of [...this.#waiters.keys()]) this.#settle(key, new Error("the device was closed"));
  }

  #start(): void {
    if (this.#core.closing.aborted) return;
    this.#wake?.();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#hasWork()) this.#start();
    });
  }

  /** A commit that is read from a slot could leave the texts of an epoch behind that are still in the queue. */
  #hasWork(): boolean {
    const isWanted = (this.#mustFollow || this.#mayChange) && this.#core.isDrained();
    return this.#membership.isActive && (isWanted || this.#news.length > 0);
  }

  async #run(): Promise<void> {
    let pauseMillis = firstPauseMillis;
    while (this.#hasWork() && !this.#core.closing.aborted) {
      try {
        await this.#step();
        pauseMillis = firstPauseMillis;
      } catch (problem) {
        if (this.#core.closing.aborted || problem instanceof MembershipEnded) break;
        this.#core.problem(problem);
        await this.#pause(Math.max(pauseMillis, 1000 * retryAfterOf(problem)));
        pauseMillis = Math.min(longestPauseMillis, 2 * pauseMillis);
      }
    }
  }

  async #step(): Promise<void> {
    const news = this.#news.shift();
    if (news !== undefined) return this.#handle(await this.#hear(news));
    if (this.#mustFollow) {
      this.#mustFollow = false;
      const before = this.#core.ledger.nextNumber();
      const followers = this.#followers;
      this.#followers = [];
      try {
        const followed = await this.#slots.follow(this.#call());
        if (followed.kind === "later") this.#putOff ??= before;
        await this.#noteFollowed(followed, before);
        if (followed.kind === "later") this.#followers.push(...followers);
        else for (const tell of followers) tell();
        return;
      } catch (problem) {
        this.#mustFollow = true;
        this.#followers.push(...followers);
        throw problem;
      }
    }
    this.#mayChange = false;
    try {
      await this.#carryOut();
    } catch (problem) {
      this.#mayChange = true;
      throw problem;
    }
  }

  async #noteFollowed(followed: FollowResult, before: number): Promise<void> {
    await this.#handle(followed);
    if (followed.kind === "current")
      await this.#core.ledger.inTurn((transaction) => this.#membership.onFollowed(transaction, before));
  }

  #hear({ content, receipt, attempt }: CommitNews): Promise<FollowResult> {
    if (content === undefined) return this.#slots.follow(this.#call());
    return this.#slots.receive({ content, receipt, attempt }, this.#call());
  }

  async #handle(result: FollowResult | CommitResult): Promise<void> {
    if (result.kind !== "rejoin") return;
    const { reason } = result;
    await this.#core.ledger.inTurn((transaction) => this.#membership.lose(transaction, reason));
  }

  /** Carries out the first change that is due. */
  async #carryOut(): Promise<void> {
    const { ledger, nowMillis } = this.#core;
    const stored = await ledger.readAll<Change>(`change/${this.#membership.id}/`);
    const due = stored.find(([, change]) => dueAt(change) <= nowMillis());
    if (due === undefined) return this.#laterIfAny(stored.map(([, change]) => dueAt(change)));
    this.#mayChange = true;
    const [key, wanted] = due;
    try {
      const change = wanted.kind === "add" ? await this.#claim(key, wanted) : wanted;
      this.#refused = { change: key, refused: (change.kind === "add" && change.refused) || [] };
      const result = await this.#slots.commit(() => this.#make(key, change), this.#call());
      await this.#handle(result);
      if (result.kind === "lost" && this.#plan(change) === undefined) await this.#drop(key);
    } catch (problem) {
      if (problem instanceof MembershipEnded || !isFinal(problem)) throw problem;
      await this.#drop(key, problem);
    }
  }

  #laterIfAny(times: readonly number[]): void {
    if (times.length === 0) return;
    const millis = Math.max(0, Math.min(...times) - this.#core.nowMillis());
    const again = () => {
      this.#mayChange = true;
      this.#start();
    };
    this.#core.sleep(millis).then(again, () => undefined);
  }

  /** Gets key packages of those who are to be added, and stores them with the change. */
  async #claim(key: string, change: Change & { kind: "add" }): Promise<Change & { kind: "add" }> {
    if (change.joiners !== undefined) return change;
    const { ledger, device } = this.#core;
    const claimed = await claimKeyPackages(device, change.addresses, { claimId: change.claimId, ...this.#call() });
    const unavailable = claimed.find((one) => "error" in one && one.error === "PEER_UNAVAILABLE");
    if (unavailable !== undefined) throw new PeerUnavailable(unavailable.address);
    const joiners: Joiner[] = [];
    const refused: Refused[] = [];
    const users: [address: string, user: string][] = [];
    for (const one of claimed) {
      if ("error" in one) refused.push({ address: one.address, error: one.error });
      else {
        const joiner = await joinerOf(this.#core.mls, one.keyPackage);
        const error = await this.#problemOf(joiner, { ...one, user: change.users?.[one.address] });
        if (joiner === undefined || error !== undefined) {
          refused.push({ address: one.address, error: error ?? "WRONG_IDENTITY" });
        } else {
          const { user, name: _, ...rest } = joiner;
          joiners.push(rest);
          users.push([one.address, user]);
        }
      }
    }
    const next = { ...change, joiners, refused };
    await ledger.inTurn(async (transaction) => {
      transaction.set(key, next);
      for (const [address, user] of users) transaction.set(knownUserKey(address), { user });
      await transaction.commit();
    });
    return next;
  }

  /** A relay that gives a key package of its own for somebody's address cannot sign it as the user whom this device knows. */
  async #problemOf(
    joiner: { address: string; user: string } | undefined,
    { address, user }: { address: string; user: string | undefined },
  ): Promise<Refused["error"] | undefined> {
    if (joiner?.address !== address) return "WRONG_IDENTITY";
    const expected = user ?? (await this.#core.ledger.read<{ user: string }>(knownUserKey(address)))?.user;
    return expected === undefined || expected === joiner.user ? undefined : "WRONG_USER";
  }

  #plan(change: Change) {
    const { isActive, view, context } = this.#membership;
    if (!isActive) return undefined;
    const { account, nowMillis } = this.#core;
    return planOf(change, {
      view,
      context,
      nowMillis: nowMillis(),
      address: account.address,
      identityFor: (signatureKey) => encodeIdentity(account, { ...account, signatureKey }),
    });
  }

  async #make(key: string, change: Change): Promise<MadeCommit | undefined> {
    const plan = this.#plan(change);
    if (plan === undefined) return undefined;
    const { view } = this.#membership;
    const proposals = await this.#proposalsOf(plan.change);
    if (!isAllowed(view, { committer: view.ownLeaf, proposals })) throw new NotPermittedError();
    return this.#made(await this.#core.mls.commit(this.#membership.mlsState, plan.change), {
      joiners: plan.joiners.map(({ address, initKey }) => ({ address, initKey })),
      change: key,
    });
  }

  async #proposalsOf({ add = [], remove = [], extensions }: MlsChange): Promise<ProposalKind[]> {
    const added = await Promise.all(add.map((keyPackage) => this.#core.mls.readKeyPackage(keyPackage)));
    return [
      ...added.map((one) => ({ kind: "add" as const, ...one })),
      ...remove.map((leaf) => ({ kind: "remove" as const, leaf })),
      ...(extensions === undefined ? [] : [{ kind: "extensions" as const, extensions }]),
    ];
  }

  #made({ state, commit, welcome }: MadeChange<unknown>, rest: Pick<OwnCommit, "joiners" | "change">): MadeCommit {
    const own: OwnCommit = {
      next: this.#core.mls.save(state),
      ...(welcome && { welcomes: readWelcomes(welcome) }),
      ...rest,
    };
    return { content: sealEnvelope(this.#membership.keys, commit), state: encodeRecord(own) };
  }

  /** A change that is not needed any more, or that failed for good. */
  async #drop(key: string, problem?: unknown): Promise<void> {
    await this.#core.ledger.inTurn(async (transaction) => {
      transaction.remove(key);
      await transaction.commit();
    });
    this.#settle(key, problem ?? this.#refusedOf(key));
  }

  #refusedOf(key: string): UnreachableError | undefined {
    const { change, refused = [] } = this.#refused ?? {};
    return change === key && refused.length > 0 ? new UnreachableError(refused) : undefined;
  }

  #settle(key: string, problem?: unknown): void {
    const waiter = this.#waiters.get(key);
    this.#waiters.delete(key);
    if (problem === undefined) waiter?.resolve();
    else waiter?.reject(problem);
  }

  #tellFollowers(): void {
    const followers = this.#followers;
    this.#followers = [];
    for (const tell of followers) tell();
  }

  #rejectAll(): void {
    for (const key of [...this.#waiters.keys()]) {
      this.#settle(key, new Error(`this device is not in the group: ${this.#membership.state}`));
    }
  }

  async #pause(millis: number): Promise<void> {
    const ending = new AbortController();
    this.#wake = () => ending.abort();
    await this.#core.sleep(millis, ending.signal).catch(() => undefined);
    this.#wake = undefined;
  }

  #call() {
    return { signal: this.#core.closing };
  }

  get #slots(): CommitSlots {
    if (!this.#membership.isActive) throw new MembershipEnded();
    this.#createdSlots ??= this.#createSlots();
    return this.#createdSlots;
  }

  #createSlots(): CommitSlots {
    const membership = this.#membership;
    const { device, mls, ledger } = this.#core;
    const key = `pending/${membership.id}`;
    const demandActive = () => {
      if (!membership.isActive) throw new MembershipEnded();
    };
    const { slots } = membership.context;
    return createCommitSlots({
      device,
      relay: slots,
      exporter: (...args) => {
        demandActive();
        return mls.exporterOf(membership.mlsState)(...args);
      },
      store: {
        load: async () => {
          const stored = await ledger.store.get(key);
          return stored && decodeRecord<PendingCommit>(stored);
        },
        save: (pending) => ledger.store.write([[key, encodeRecord(pending)]]),
        clear: async () => {
          if ((await ledger.store.get(key)) !== undefined) await ledger.store.write([[key, undefined]]);
        },
      },
      enteredAt: () => membership.enteredAtMillis,
      evaluate: async (content) => {
        demandActive();
        return (await membership.evaluate(content)).kind;
      },
      apply: async (commit) => {
        const groupInfo = await shareGroupInfo(this.#core, commit);
        await ledger.inTurn((transaction) => membership.apply(transaction, commit, groupInfo));
      },
      // `apply` has put everything into the outbox.
      announce: async () => {},
      onFollowed: (result) => {
        const before = this.#putOff ?? 0;
        this.#putOff = undefined;
        this.#noteFollowed(result, before).then(() => this.#tellFollowers(), this.#core.problem);
      },
      onProblem: this.#core.problem,
      renew: async () => this.#made(await mls.commit(membership.mlsState, {}), { joiners: [] }),
    });
  }
}

/** Addresses may be longer than keys. */
function knownUserKey(address: string): string {
  return `known/${encodeHex(sha256(utf8(address)))}`;
}

/** A relay of somebody who is to be added cannot be reached: the same claim is repeated. */
class PeerUnavailable extends Error {
  constructor(address: string) {
    super(`the relay of ${address} cannot be reached`);
  }
}

/** Whether a repetition would fail in the same way. */
function isFinal(problem: unknown): boolean {
  if (problem instanceof ConnectionError || problem instanceof PeerUnavailable) return false;
  if (problem instanceof NotPermittedError) return true;
  if (!(problem instanceof AnswerError)) return false;
  return problem.status >= 400 && problem.status < 500 && ![401, 408, 425, 429].includes(problem.status);
}

function retryAfterOf(problem: unknown): number {
  return problem instanceof AnswerError ? (problem.retryAfterSeconds ?? 0) : 0;
}
