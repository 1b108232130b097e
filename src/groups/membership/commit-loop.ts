// The loop that makes and follows the commits of one group. It alone talks to the commit slots. It waits for the network and for the ledger;
// nothing in the ledger waits for it.

import {
  type CommitResult,
  type CommitSlots,
  createCommitSlots,
  type DecidedCommit,
  type FollowResult,
  loaded,
  NotLoadedError,
  readAttempts,
  type SlotTakers,
} from "../../client/index.js";
import { doublingWait } from "../../protocol/doubling-wait.js";
import type { CommitNews } from "../encoding/content.js";
import { decodeRecord, encodeRecord } from "../encoding/records.js";
import { type Change, dueAt, type Refused, UnreachableError } from "../mls/changes.js";
import { takersOf } from "../mls/commit-replacement.js";
import { groupContextType, readGroupContext } from "../mls/group-context.js";
import type { GroupView } from "../mls/mls.js";
import type { CatchUp } from "../sending/catch-up.js";
import type { DeviceCore } from "../sending/device-core.js";
import { waitAfter } from "../sending/retry.js";
import type { Transaction } from "../store/ledger.js";
import { changePrefix, inGroup, keyOf, pendingPrefix } from "../store/record-keys.js";
import { applyCommit, goBack, type OwnCommit } from "./applying-commits.js";
import { NewsOfCommits } from "./commit-news.js";
import { isWinner } from "./continuity.js";
import { disputedEpochs, endedEpoch, sealRepair } from "./disputes.js";
import type { FollowUp } from "./follow-ups.js";
import { shareGroupInfo } from "./group-info-upload.js";
import { cannotBeMade, makeCommit, makeRenewal, planIn, UnmakeableError } from "./making-commits.js";
import { Replacements } from "./making-replacements.js";
import type { Membership } from "./membership.js";
import { loseGroup } from "./rejoining.js";
import { isReplacedBy, validityOf, validityOfReplacement } from "./slot-contents.js";
import { isBusy, wantChange } from "./waiting-changes.js";

const firstPauseMillis = 1_000;
const longestPauseMillis = 60_000;

interface Waiter {
  resolve(): void;
  reject(problem: unknown): void;
}

/** Resumes work that has waited for a step of a membership. */
interface Arriving {
  /** This device has entered an epoch, or the membership has ended. */
  retry(transaction: Transaction, membership: Membership): Promise<FollowUp[]>;
  isCrowded(): boolean;
  /** Throws unless `retry` can read the Welcomes that have waited for the end of a membership. */
  demandReadable(membership: Membership): Promise<void>;
  /** The slots have no further commit. Messages stored under numbers below this one were stored before the slots were read. */
  enterAgain(transaction: Transaction, membership: Membership, before: number): Promise<FollowUp[]>;
}

export interface CommitLoopParts {
  core: DeviceCore;
  catchUp: CatchUp;
  arriving: Arriving;
}

/** Thrown when a call has ended the membership: this loop has nothing left to do. */
class MembershipEnded extends Error {}

export class CommitLoop {
  readonly #core: DeviceCore;
  readonly #catchUp: CatchUp;
  readonly #arriving: Arriving;
  readonly #membership: Membership;
  #createdSlots: CommitSlots | undefined;
  readonly #waiters = new Map<string, Waiter>();
  readonly #news: NewsOfCommits;
  readonly #replacements: Replacements;
  #mustReview = false;
  /** Whether to ask the slots for commits that no message has announced. */
  #mustFollow = false;
  /** The ledger's number when following was put off. */
  #putOff: number | undefined;
  /** Called once the slots have no further commit. */
  #followers: (() => void)[] = [];
  /** Whether there may be changes in the store. */
  #mayChange = false;
  /** When to look for the next change that has to wait. */
  #nextLook = Number.POSITIVE_INFINITY;
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  /** Addresses that the current change could not add. */
  #refused: { change: string; refused: readonly Refused[] } | undefined;

  constructor({ core, catchUp, arriving }: CommitLoopParts, membership: Membership) {
    this.#core = core;
    this.#catchUp = catchUp;
    this.#arriving = arriving;
    this.#membership = membership;
    this.#news = new NewsOfCommits(core, () => this.#readSlots());
    this.#replacements = new Replacements(core, membership, () => this.follow());
  }

  /** Does what a step of the membership has left to do. */
  do(followUp: Exclude<FollowUp, { kind: "waiting" }>): void {
    this.noteEnd();
    if (followUp.kind === "hear") this.#news.add(followUp.news);
    else if (followUp.kind === "review") this.#news.addReview(followUp.epoch);
    else if (followUp.kind === "change") this.#mayChange = true;
    else this.#mustFollow = true;
    this.#start();
  }

  #readSlots(): void {
    this.#mustFollow = true;
    this.#start();
  }

  /** The membership may have ended: callers no longer wait for its commits. */
  noteEnd(): void {
    if (this.#membership.isActive) return;
    for (const key of [...this.#waiters.keys()])
      this.#settle(key, new Error(`this device is not in the group: ${this.#membership.state}`));
    this.#tellFollowers();
  }

  /** Asks the slots for commits that this device has not heard of, once the queue is empty, or too much waits for them. */
  follow(): void {
    this.#mustFollow = true;
    this.#mustReview = true;
    this.#start();
  }

  /** Resolves once the slots that are asked from now on have no further commit, or the membership has ended. */
  async followed(): Promise<void> {
    if (!this.#membership.isFollowed) return;
    await new Promise<void>((resolve) => {
      this.#followers.push(resolve);
      this.follow();
    });
  }

  /** Resumes what a crash has interrupted. */
  resume(): void {
    this.#mayChange = true;
    this.#mustFollow = true;
    this.#mustReview = true;
    this.#start();
  }

  /** Tries again now instead of waiting on. The device may have slept through the end of a wait. */
  hurry(): void {
    this.#mayChange = true;
    this.#start();
  }

  /** Stores a change. Resolves once the group has it. */
  async change(change: Change): Promise<void> {
    const { ledger, closing } = this.#core;
    const carriedOut = await ledger.inTurn(async (transaction) => {
      if (closing.aborted) throw new Error("the device was closed");
      this.#membership.demandAccepted();
      if (await isBusy(transaction, this.#membership))
        throw new Error("too many changes of the group wait for its relay");
      const key = wantChange(transaction, this.#membership, change);
      transaction.afterwards(() => this.do({ kind: "change", group: this.#membership.id }));
      const done = new Promise<void>((resolve, reject) => this.#waiters.set(key, { resolve, reject }));
      done.catch(() => undefined);
      await transaction.commit();
      return { done };
    });
    await carriedOut.done;
  }

  /** Stops with the device. Callers must not wait for ever; a stored change continues after the next start. */
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

  /** Following a commit from a slot too early could skip texts of the epoch that are still in the queue. */
  #hasWork(): boolean {
    if (!this.#membership.isFollowed) return false;
    if (!this.#news.isEmpty || (this.#mustFollow && this.#arriving.isCrowded())) return true;
    return (this.#mustFollow || this.#mayChange || this.#news.hasReviews) && this.#catchUp.isDrained;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (this.#hasWork() && !this.#core.closing.aborted) {
      try {
        await this.#step();
        failures = 0;
      } catch (problem) {
        if (this.#core.closing.aborted || problem instanceof MembershipEnded) break;
        this.#core.problem(problem);
        // The slot has the commit that the failed news announced.
        this.#mustFollow = true;
        this.#mayChange = true;
        failures++;
        const pauseMillis = doublingWait(failures, { first: firstPauseMillis, longest: longestPauseMillis });
        await this.#pause(waitAfter(problem, pauseMillis));
      }
    }
  }

  async #step(): Promise<void> {
    const news = this.#news.take();
    if (news !== undefined) {
      const heard = await this.#hear(news);
      return heard && this.#handle(heard);
    }
    const epoch = this.#news.takeReview();
    if (epoch !== undefined) {
      // It is examined again after the next connection, and must not hold up what follows.
      return this.#review(epoch).catch((problem: unknown) => this.#putOffReview(epoch, problem));
    }
    if (this.#mustFollow && this.#mustReview) {
      this.#mustReview = false;
      this.#news.reviewAll(await disputedEpochs(this.#membership));
      if (this.#news.hasReviews) return;
    }
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
        this.#followers.push(...followers);
        throw problem;
      }
    }
    this.#mayChange = false;
    await this.#carryOut();
  }

  async #noteFollowed(followed: FollowResult, before: number): Promise<void> {
    await this.#handle(followed);
    if (followed.kind !== "current") return;
    this.#goOn();
    const { ledger } = this.#core;
    this.#doAll(await ledger.inTurn((transaction) => this.#arriving.enterAgain(transaction, this.#membership, before)));
  }

  /** A change may have waited for a dispute to end. */
  #goOn(): void {
    this.#mayChange = true;
    this.#start();
  }

  #doAll(followUps: readonly FollowUp[]): void {
    for (const followUp of followUps) if (followUp.kind !== "waiting") this.do(followUp);
  }

  async #hear(news: CommitNews): Promise<FollowResult | undefined> {
    const { content, receipt, attempt } = news;
    if (this.#news.isDoubtful && !(await this.#isProved(news))) {
      this.#news.readLater();
      return undefined;
    }
    this.#news.noteRead();
    if (content === undefined || this.#membership.isDisputed) return this.#slots.follow(this.#call());
    return this.#slots.receive({ content, receipt, attempt }, this.#call());
  }

  /** Whether the news alone leads to the next epoch. */
  async #isProved({ content, receipt, attempt }: CommitNews): Promise<boolean> {
    if (content === undefined || attempt !== 0) return false;
    const { context, mlsState } = this.#membership;
    const known = { relay: context.slots, exporter: this.#core.mls.exporterOf(mlsState), slots: [] };
    if (!(await isWinner({ content, receipt, attempt }, known))) return false;
    return (await validityOf(this.#membership, content)) === "valid";
  }

  /** Whether a later attempt has replaced the commit that ended a past epoch. Then the group continues from there. */
  async #review(epoch: number): Promise<void> {
    const membership = this.#membership;
    const { ledger, device, mls } = this.#core;
    const ended = await ledger.inTurn((transaction) => endedEpoch(transaction, membership, epoch));
    const context = readGroupContext(ended?.view.extension(groupContextType));
    if (ended === undefined || context === undefined) return;
    const exporter = mls.exporterOf(ended.state);
    const takers = this.#takersIn(() => ended.view);
    const attempts = { device, relay: context.slots, exporter, takers, from: ended.logged.attempt + 1 };
    for await (const { content } of readAttempts(attempts, this.#call())) {
      if (!(await isReplacedBy(membership, ended, content))) continue;
      await ledger.inTurn((transaction) => goBack(transaction, membership, epoch));
      this.#news.dropReviews();
      this.#mustFollow = true;
      return;
    }
  }

  #putOffReview(epoch: number, problem: unknown): void {
    this.#core.problem(problem);
    if (problem instanceof NotLoadedError)
      this.#core.sleep(longestPauseMillis).then(
        () => this.do({ kind: "review", group: this.#membership.id, epoch }),
        () => undefined,
      );
  }

  #takersIn(view: () => GroupView): SlotTakers {
    return { users: () => takersOf(view()), secretKey: this.#core.account.deviceSecret };
  }

  async #handle(result: FollowResult | CommitResult): Promise<void> {
    if (result.kind !== "rejoin") return;
    const { reason } = result;
    const slots = this.#slots.slots();
    await this.#arriving.demandReadable(this.#membership);
    const followUps = await this.#core.ledger.inTurn(async (transaction) => {
      await loseGroup(transaction, this.#membership, { reason, slots });
      this.noteEnd();
      return this.#arriving.retry(transaction, this.#membership);
    });
    this.#doAll(followUps);
  }

  /** Carries out the first change that is due. */
  async #carryOut(): Promise<void> {
    const { ledger, nowMillis } = this.#core;
    const stored = await ledger.readAll(inGroup(changePrefix, this.#membership.id));
    const due = stored.find(([, change]) => dueAt(change) <= nowMillis());
    if (due === undefined) return this.#laterIfAny(stored.map(([, change]) => dueAt(change)));
    this.#mayChange = true;
    const [key, wanted] = due;
    if (wanted.kind === "repair")
      return ledger.inTurn((transaction) => sealRepair(transaction, this.#membership, { key, ...wanted }));
    let change = wanted;
    try {
      if (wanted.kind === "add") {
        const { claimForAdd } = await loaded(import("./adding-members.js"));
        const { now, laterKey } = await claimForAdd(this.#core, this.#membership, { key, change: wanted });
        if (laterKey !== undefined) {
          this.#passOn(key, laterKey);
          this.do({ kind: "change", group: this.#membership.id });
        }
        if (now === undefined) return;
        change = now;
      }
      this.#refused = { change: key, refused: (change.kind === "add" && change.refused) || [] };
      const result = await this.#slots.commit(
        () => makeCommit(this.#core, this.#membership, { key, change }),
        this.#call(),
      );
      await this.#handle(result);
      // It continues once the members have settled the dispute.
      if (result.kind === "disputed") this.#mayChange = false;
      if (result.kind === "lost" && planIn(this.#core, this.#membership, change) === undefined) await this.#drop(key);
    } catch (problem) {
      if (problem instanceof MembershipEnded || !cannotBeMade(problem)) throw problem;
      const goesOn =
        problem instanceof UnmakeableError &&
        (await (
          await loaded(import("./adding-members.js"))
        ).refuseUnusable(this.#core, this.#membership, { key, change }));
      if (!goesOn) await this.#drop(key, problem);
    }
  }

  #laterIfAny(times: readonly number[]): void {
    const at = Math.min(...times);
    if (at >= this.#nextLook) return;
    this.#nextLook = at;
    const again = () => {
      if (this.#nextLook === at) this.#nextLook = Number.POSITIVE_INFINITY;
      this.#mayChange = true;
      this.#start();
    };
    this.#core.sleep(Math.max(0, at - this.#core.nowMillis())).then(again, () => undefined);
  }

  /** Callers that wait for a change wait for its last part. */
  #passOn(from: string, to: string): void {
    const waiter = this.#waiters.get(from);
    this.#waiters.delete(from);
    if (waiter !== undefined) this.#waiters.set(to, waiter);
  }

  /** Removes a change that is no longer needed or has failed for good. */
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
    else if (waiter !== undefined) waiter.reject(problem);
    else this.#core.problem(problem);
  }

  #noteApplied({ state }: DecidedCommit): void {
    this.#news.entered();
    const change = state && decodeRecord<OwnCommit>(state).change;
    if (change !== undefined) this.#settle(change, this.#refusedOf(change));
    this.noteEnd();
  }

  #tellFollowers(): void {
    const followers = this.#followers;
    this.#followers = [];
    for (const tell of followers) tell();
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
    const key = keyOf(pendingPrefix, membership.id);
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
        load: () => ledger.read(key),
        save: (pending) => ledger.store.write([[key, encodeRecord(pending)]]),
        clear: async () => {
          if ((await ledger.store.get(key)) !== undefined) await ledger.store.write([[key, undefined]]);
        },
      },
      takers: this.#takersIn(() => membership.view),
      enteredAt: () => membership.enteredAtMillis,
      isCrowded: () => this.#arriving.isCrowded(),
      evaluate: async (content) => {
        demandActive();
        return validityOf(membership, content);
      },
      disputes: {
        evaluate: async (content, replaced) => {
          demandActive();
          return validityOfReplacement(membership, content, replaced);
        },
        replace: async (disputed) => {
          demandActive();
          return this.#replacements.make(disputed);
        },
      },
      apply: async (commit) => {
        const groupInfo = await shareGroupInfo(this.#core, commit);
        await this.#arriving.demandReadable(membership);
        const followUps = await ledger.inTurn(async (transaction) => {
          const left = await applyCommit(transaction, membership, { decided: commit, groupInfo });
          this.#noteApplied(commit);
          return [...left, ...(await this.#arriving.retry(transaction, membership))];
        });
        this.#doAll(followUps);
      },
      // `apply` has put everything into the outbox.
      announce: async () => {},
      onFollowed: (result) => {
        const before = this.#putOff ?? 0;
        this.#putOff = undefined;
        this.#noteFollowed(result, before).then(() => this.#tellFollowers(), this.#core.problem);
      },
      onProblem: this.#core.problem,
      until: this.#core.closing,
      renew: () => makeRenewal(this.#core, membership),
    });
  }
}
