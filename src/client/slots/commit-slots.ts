// Commits that cannot fork a group: of all commits of an epoch, the one counts that the slot of the epoch has taken.

import { equalBytes } from "../../protocol/encodings.js";
import type { CallOptions } from "../connection/calls.js";
import { isAnswer } from "../connection/failures.js";
import type { Exporter } from "../crypto/envelope.js";
import type { DeviceClient } from "../device/client.js";
import { ringsOf } from "../keys/key-ring.js";
import { childOf, unlessAborted } from "../runtime/abort.js";
import {
  demandBytes,
  demandClient,
  demandFunction,
  demandNonEmptyBytes,
  demandNumber,
  demandOptions,
  demandSignal,
  demandString,
  ifGiven,
} from "../runtime/arguments.js";
import { callBack } from "../runtime/callbacks.js";
import { createTurns } from "../runtime/turns.js";
import { Attempts, readAttempts } from "./attempts.js";
import type { CommitResult, CommitValidity, Disputed, FollowResult, Rejoin, Removed } from "./commit-outcomes.js";
import {
  countingAttempt,
  type Decided,
  type Decision,
  lastReplacement,
  type Open,
  readAttempt,
  rejoin,
} from "./counting-attempt.js";
import type { DecidedCommit, MadeCommit, PendingCommit, PendingCommitStore } from "./pending-commit.js";
import { endAfter, isOlderThan, renewAfter } from "./quiet-epochs.js";
import { isSlotReceipt, type SlotReceipt, type SlotRelay } from "./slot-receipts.js";
import { openAttempts, type SlotTakers } from "./user-attempts.js";

export interface CommitSlotsOptions {
  device: DeviceClient;
  /** The relay with the slots. It may be another one than the device's own, which then asks it. */
  relay: SlotRelay;
  exporter: Exporter;
  store: PendingCommitStore;
  /**
   * Leaves one attempt to each user, after the first two, so that a member who fills attempts with void content stops nothing. Either all members of a group give
   * this, or none: without it, all 16 attempts can be taken by anyone with the exporter. The public keys are those of the epoch of `exporter`.
   */
  takers?: SlotTakers;
  /** When this member entered its present epoch, by `apply` or a Welcome, in milliseconds since 1970. Store it with the group's state. */
  enteredAt(): number | Promise<number>;
  evaluate(content: Uint8Array): CommitValidity | Promise<CommitValidity>;
  /**
   * Enters the next epoch by this commit, and stores the new state before the promise is fulfilled. From then on, `exporter` is
   * that of the next epoch. Fulfilled with "removed", without an epoch to enter, if the commit has removed this member.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most implementations return nothing
  apply(commit: DecidedCommit): Promise<"removed" | void>;
  /**
   * Sends a commit of this member, with its receipt, to the other members, and Welcomes to those who join. Called after
   * `apply`, and again after a crash or failure until it succeeds, so it must send the same messages under the same ids.
   */
  announce(commit: DecidedCommit & { state: Uint8Array }): Promise<void>;
  /**
   * Makes a commit without proposals. `follow` takes the slot with it once a quarter of `relay.memoryDays` has passed in one epoch, so that
   * a quiet group does not grow too old. Without it, the application has to commit.
   */
  renew?(): Promise<MadeCommit | undefined>;
  /**
   * For an application that does not use a key ring, but stores messages of later epochs itself: whether it has stored so many that it may soon have
   * to drop some. While this returns true, commits are followed even if messages are still queued.
   */
  isCrowded?(): boolean;
  /**
   * For groups that settle commits which only some members can use. The attempts after such a commit may have another one that replaces it.
   * All members must recognise a replacement alike, as with `evaluate`.
   */
  disputes?: {
    /** Evaluates the content of a later attempt: `void` if it does not replace the commit that counted until then (`replaced`). */
    evaluate(content: Uint8Array, replaced: Uint8Array): CommitValidity | Promise<CommitValidity>;
    /** This member cannot use the content that counts: another commit to replace it with, or undefined to wait. */
    replace(disputed: Uint8Array): Promise<MadeCommit | undefined>;
  };
  /** Called with the outcome of following that had been put off (`later`). */
  onFollowed?(result: Exclude<FollowResult, { kind: "later" }>): void;
  /** Called with the reason if following that had been put off fails. It is tried again the next time that the queue is empty. */
  onProblem?(problem: unknown): void;
  /** Ends what has been put off. Abort it when the application closes the group: the calls' signals end only the calls. */
  until?: AbortSignal | undefined;
}

/**
 * One group's commits. Calls are carried out one after another. A call that fails can be repeated. Every call may be awaited
 * in `handle` of a key ring and of `DeviceClient.receive`.
 *
 * A slot leads to the next epoch, and an MLS library soon forgets the keys of those before. So commits are read from slots only
 * when the messages of the epoch have been handled: those in the device's queue, and those that wait in its key rings.
 */
export interface CommitSlots {
  /**
   * Finishes what a crash has left, follows the commits of others, and then has `make` make a commit, takes the slot with it, and
   * applies and announces it if it has won. `make` may return undefined if the commit is wanted no longer; the result
   * is then `lost`.
   *
   * If the group has moved on while messages are still queued, it waits until they are handled, or until none has been for 5
   * seconds.
   *
   * Throws AnswerError or ConnectionError if the relay has not decided. The commit may have won nonetheless: call `follow` or
   * `commit` again, and never apply a commit otherwise.
   */
  commit(make: () => Promise<MadeCommit | undefined>, options?: CallOptions): Promise<CommitResult>;
  /**
   * Applies the commits that slots have taken since the member's epoch, or does so later. Call it after connecting, after each start,
   * and for a message that a key ring keeps (`waiting`).
   */
  follow(options?: CallOptions): Promise<FollowResult>;
  /** Applies a commit that came in a message, if its receipt proves that it counts; otherwise asks the slot, as `follow` does. */
  receive(
    commit: { content: Uint8Array; receipt: SlotReceipt; attempt: number },
    options?: CallOptions,
  ): Promise<FollowResult>;
  /**
   * The slots of the present epoch's attempts, in their order, as far as this member has read them. After `rejoin`, the commit that the group has gone on with
   * may be in one of them.
   */
  slots(): readonly string[];
}

/** A commit as it comes in a message. */
type Announced = Parameters<CommitSlots["receive"]>[0];

/** How long a commit waits for the next message to be handled: a `handle` that takes longer may be waiting for the commit. */
const patienceMillis = 5_000;

/** Commits of a group that do not fork it. The relay learns neither the group nor the epoch. */
export function createCommitSlots(options: CommitSlotsOptions): CommitSlots {
  demandCommitSlots(options);
  const slots = new GroupSlots(options);
  return {
    commit: (make, call) => slots.commit(make, call),
    follow: (call) => slots.follow(call),
    receive: (commit, call) => slots.receive(commit, call),
    slots: () => slots.slots(),
  };
}

function demandCommitSlots(options: CommitSlotsOptions): void {
  demandOptions(options, "options");
  demandClient(options.device, "device");
  demandOptions(options.relay, "relay");
  demandString(options.relay.domain, "relay.domain");
  demandBytes(options.relay.slotKey, "relay.slotKey", 32);
  demandOptions(options.store, "store");
  demandNumber(options.relay.memoryDays, "relay.memoryDays", [1, 36_500]);
  for (const name of ["exporter", "enteredAt", "evaluate", "apply", "announce"] as const)
    demandFunction(options[name], name);
  for (const name of ["renew", "isCrowded", "onFollowed", "onProblem"] as const)
    ifGiven(options[name], (given) => demandFunction(given, name));
  ifGiven(options.until, (until) => demandSignal(until, "until"));
}

class GroupSlots {
  readonly #given: CommitSlotsOptions;
  readonly #relay: SlotRelay;
  /** While one is carried out, nothing waits for a message to be handled: its `handle` may wait for its turn here. */
  readonly #turns = createTurns();
  #known: Attempts | undefined;
  /** The attempt of the known epoch that was found free last. */
  #free = 0;
  #isPutOff = false;
  #isRemoved = false;

  constructor(given: CommitSlotsOptions) {
    this.#given = given;
    this.#relay = { ...given.relay, domain: given.relay.domain.toLowerCase() };
  }

  async commit(make: () => Promise<MadeCommit | undefined>, call: CallOptions = {}): Promise<CommitResult> {
    for (let isCaughtUp = true; ; isCaughtUp = await this.#catchUp()) {
      const result = await this.#turns.take(async () => {
        const followed = await this.#follow(call, { steps: isCaughtUp ? 0 : 1 });
        if (followed.kind === "later") return undefined;
        if (followed.kind !== "current") return followed;
        return (await this.#makeAndTake(make, call)) ?? ({ kind: "lost" } as const);
      });
      if (result !== undefined) return result;
    }
  }

  async follow(call: CallOptions = {}): Promise<FollowResult> {
    if (this.#isRemoved) return { kind: "removed" };
    if (!(await this.#mayFollow())) return this.#putOff(0);
    const followed = await this.#followAndRenew(call);
    return followed.kind === "later" ? this.#putOff(followed.applied) : followed;
  }

  #followAndRenew(call: CallOptions): Promise<FollowResult> {
    return this.#turns.take(async () => {
      const followed = await this.#follow(call, { steps: 1 });
      const { renew } = this.#given;
      if (followed.kind !== "current" || renew === undefined || !(await this.#isOlderThan(renewAfter))) return followed;
      const renewed = await this.#makeAndTake(renew, call);
      if (renewed !== undefined && renewed.kind !== "won" && renewed.kind !== "lost") return renewed;
      return { kind: "current", applied: followed.applied + (renewed === undefined ? 0 : 1) };
    });
  }

  /** Applies as many commits as `steps` says, and more while no messages of the epoch can come. */
  async #follow(call: CallOptions, { steps }: { steps: number }): Promise<FollowResult> {
    if (this.#isRemoved) return { kind: "removed" };
    let applied = await this.#resume(call);
    if (typeof applied !== "number") return applied;
    for (let stepsLeft = steps; ; stepsLeft--) {
      const decision = await this.#read(call);
      if (decision.kind === "rejoin") return decision;
      if (decision.kind === "free") return { kind: "current", applied };
      if (stepsLeft <= 0 && !(await this.#mayFollow())) return { kind: "later", applied };
      if (decision.kind === "disputed") {
        const settled = await this.#replace(decision, call);
        if (settled !== undefined) return settled;
        continue;
      }
      if ((await this.#conclude(decision)) === "removed") return { kind: "removed" };
      applied += 1;
    }
  }

  /** Following makes room where so much waits for later epochs that some of it may be dropped. */
  async #mayFollow(): Promise<boolean> {
    const rings = [...ringsOf(this.#given.device.connection.clock)];
    if (rings.some((ring) => !ring.isSettled())) return false;
    const isCrowded = this.#given.isCrowded?.() || rings.some((ring) => ring.isCrowded());
    return isCrowded || unlessAborted(this.#given.device.queue.isEmpty(), this.#given.until);
  }

  /** Waits until the queued messages are handled; false if that leads nowhere. */
  async #catchUp(): Promise<boolean> {
    const { device, until } = this.#given;
    if (!(await unlessAborted(device.queue.whenEmpty(patienceMillis), until))) return false;
    const over = new AbortController();
    const settled = Promise.all([...ringsOf(device.connection.clock)].map((ring) => ring.settled()));
    const isOver = device.connection.runtime.sleep(patienceMillis, over.signal).then(() => false);
    const isSettled = await Promise.race([settled.then(() => true), isOver.catch(() => false)]);
    over.abort();
    return isSettled;
  }

  /** Follows whenever the queue has become empty, until nothing is left to follow. */
  #putOff(applied: number): FollowResult {
    if (!this.#isPutOff) {
      this.#isPutOff = true;
      const { until } = this.#given;
      const over = until === undefined ? new AbortController() : childOf(until);
      const goOn = createTurns();
      const attempt = () =>
        goOn.take(async () => {
          if (!over.signal.aborted && (await this.#goOn())) over.abort();
        });
      this.#given.device.queue.onEmpty(() => void attempt(), over.signal);
      void attempt();
    }
    return { kind: "later", applied };
  }

  /** Returns whether nothing is left to follow. */
  async #goOn(): Promise<boolean> {
    const { device, onFollowed, onProblem, until: signal } = this.#given;
    const tell = (problem: unknown) => callBack(onProblem, [problem]);
    try {
      for (;;) {
        await Promise.all([...ringsOf(device.connection.clock)].map((ring) => ring.settled()));
        if (!(await this.#mayFollow())) return false;
        const followed = await this.#followAndRenew({ ...(signal && { signal }) });
        if (followed.kind === "later") continue;
        this.#isPutOff = false;
        callBack(onFollowed, [followed], tell);
        return true;
      }
    } catch (problem) {
      if (!signal?.aborted) tell(problem);
      return !this.#isPutOff;
    }
  }

  /** Undefined if there is no commit to make. */
  async #makeAndTake(
    make: () => Promise<MadeCommit | undefined>,
    call: CallOptions,
  ): Promise<CommitResult | undefined> {
    const made = await make();
    if (made === undefined) return undefined;
    demandNonEmptyBytes(made.content, "content");
    const decision = await this.#take(made, { from: this.#free, call });
    if (decision.kind === "rejoin") return decision;
    if (decision.kind === "disputed") return { kind: "disputed" };
    return { kind: await this.#conclude(decision) };
  }

  /** Takes the next attempt with a replacement, if there is one. Undefined if the attempt has been taken now, by whomever. */
  async #replace({ content, attempt }: Open, call: CallOptions): Promise<Disputed | Rejoin | undefined> {
    const { store, disputes } = this.#given;
    const made = await disputes?.replace(content);
    if (made === undefined) return { kind: "disputed" };
    const attempts = await this.#epoch();
    const { slot, key } = (await attempts.at(attempt)) ?? {};
    if (slot === undefined || key === undefined) return { kind: "disputed" };
    const pending = { ...made, isReplacement: true as const, slot, attempt, first: attempts.first };
    await store.save(pending);
    const taken = await this.#put(attempts, { attempt, content: made.content, call });
    if (taken.kind === "decided" && equalBytes(taken.content, made.content)) {
      await store.save({ ...pending, receipt: taken.receipt });
      await this.#conclude(taken);
      return undefined;
    }
    await store.clear();
    return taken.kind === "rejoin" ? taken : undefined;
  }

  async #isOlderThan(part: number): Promise<boolean> {
    const ageMillis = this.#given.device.connection.clock.nowMillis() - (await this.#given.enteredAt());
    return isOlderThan(part, ageMillis, this.#relay);
  }

  async receive(commit: Announced, call: CallOptions = {}): Promise<FollowResult> {
    const applied = await this.#turns.take(() => this.#applyProved(commit));
    if (applied === undefined) return this.follow(call);
    return applied === "removed" ? { kind: "removed" } : { kind: "current", applied: 1 };
  }

  /** Undefined if the message alone does not prove that its commit counts in this epoch. */
  async #applyProved({ content, receipt, attempt }: Announced): Promise<"won" | "lost" | "removed" | undefined> {
    if (this.#isRemoved) return "removed";
    // That lower attempts are void is only known from their slots.
    const isProved =
      attempt === 0 && isSlotReceipt(receipt, { relay: this.#relay, slot: (await this.#epoch()).first, content });
    if (
      !isProved ||
      (await this.#given.evaluate(content)) !== "valid" ||
      (await this.#given.store.load()) !== undefined
    )
      return undefined;
    return this.#conclude({ kind: "decided", content, receipt, attempt });
  }

  /** Finishes the commit that was pending when the application ended. Returns how many commits it has applied. */
  async #resume(call: CallOptions): Promise<number | Removed | Rejoin> {
    const pending = await this.#given.store.load();
    if (pending === undefined) return 0;
    const isPresent = pending.first === (await this.#epoch()).first;
    if (!isPresent) {
      // It was applied before the crash, or another commit was.
      if (pending.receipt === undefined) await this.#given.store.clear();
      else await this.#announce({ ...pending, receipt: pending.receipt });
      return 0;
    }
    const decision = await this.#decide(pending, call);
    if (decision.kind === "rejoin") return decision;
    if (decision.kind === "disputed") return 0;
    return (await this.#conclude(decision)) === "removed" ? { kind: "removed" } : 1;
  }

  async #decide(pending: PendingCommit, call: CallOptions): Promise<Decision> {
    const { content, receipt, attempt, isReplacement } = pending;
    if (receipt !== undefined) return { kind: "decided", content, receipt, attempt };
    const isOpen = attempt < openAttempts || this.#given.takers === undefined;
    if (!isReplacement && isOpen && !(await this.#isOlderThan(endAfter)))
      return this.#take(pending, { from: attempt, call });
    // It may have won long ago. If not, the slot is not taken with it any more.
    for await (const own of readAttempts({ ...this.#given, from: attempt }, call)) {
      if (own.attempt > attempt) break;
      if (equalBytes(own.content, content)) return { kind: "decided", ...own };
    }
    await this.#given.store.clear();
    const found = await this.#read(call);
    if (found.kind !== "free") return found;
    return isReplacement ? rejoin("epoch too old") : this.#take(pending, { from: found.attempt, call });
  }

  /** Takes the first slot of the epoch that no void content has. Saves the commit before each request. */
  async #take(made: MadeCommit, { from, call }: { from: number; call: CallOptions }): Promise<Decision> {
    const { store } = this.#given;
    const attempts = await this.#epoch();
    for (let attempt = from; ; attempt++) {
      const { slot, key } = (await attempts.at(attempt)) ?? {};
      if (slot === undefined) break;
      const pending = { content: made.content, state: made.state, slot, attempt, first: attempts.first };
      if (key !== undefined) await store.save(pending);
      const taken =
        key === undefined
          ? await readAttempt(attempts, attempt, call)
          : await this.#put(attempts, { attempt, content: made.content, call });
      // This user has had their attempt: only the others can go on.
      if (taken.kind === "free") break;
      if (taken.kind === "rejoin") {
        await store.clear();
        return taken;
      }
      if (equalBytes(taken.content, made.content)) {
        await store.save({ ...pending, receipt: taken.receipt });
        return taken;
      }
      const validity = await this.#given.evaluate(taken.content);
      if (validity === "void") continue;
      const decision = await lastReplacement(
        attempts,
        { found: taken, validity, disputes: this.#given.disputes },
        call,
      );
      if (decision.kind !== "decided") await store.clear();
      return decision;
    }
    await store.clear();
    return rejoin("no attempt left");
  }

  async #read(call: CallOptions): Promise<Decision | { kind: "free"; attempt: number }> {
    const decision = await countingAttempt(await this.#epoch(), this.#given, call);
    if (decision.kind !== "free") return decision;
    this.#free = decision.attempt;
    return (await this.#isOlderThan(endAfter)) ? rejoin("epoch too old") : decision;
  }

  async #put(
    attempts: Attempts,
    { attempt, content, call }: { attempt: number; content: Uint8Array; call: CallOptions },
  ): Promise<Decided | Rejoin> {
    return this.#ask(async () => {
      const taken = await attempts.take(attempt, content, call);
      return { kind: "decided" as const, ...taken, attempt };
    });
  }

  /** What a request that takes a slot says, with the refusals that end the membership as results. */
  async #ask(request: () => Promise<Decided>): Promise<Decided | Rejoin> {
    try {
      return await request();
    } catch (failure) {
      if (isAnswer(failure, "SLOT_EXPIRED")) return rejoin("slot expired");
      if (isAnswer(failure, "SLOTS_RESTARTED")) return rejoin("slots restarted");
      throw failure;
    }
  }

  /** Applies the commit that counts, and announces it if it is this member's own: then it has won. */
  async #conclude({ content, receipt, attempt }: Decided): Promise<"won" | "lost" | "removed"> {
    const { store, apply } = this.#given;
    const { first } = await this.#epoch();
    const pending = await store.load();
    const isOwn = pending?.first === first && pending.attempt === attempt && equalBytes(pending.content, content);
    const applied = await apply({ content, receipt, attempt, state: isOwn ? pending.state : undefined });
    this.#isRemoved = applied === "removed";
    if (!this.#isRemoved && (await this.#epoch()).first === first)
      throw new Error("apply has not entered the next epoch");
    if (isOwn) await this.#announce({ ...pending, receipt, attempt });
    else if (pending !== undefined) await store.clear();
    if (this.#isRemoved) return "removed";
    return isOwn ? "won" : "lost";
  }

  async #announce({ content, receipt, attempt, state }: MadeCommit & { receipt: SlotReceipt; attempt: number }) {
    await this.#given.announce({ content, receipt, attempt, state });
    await this.#given.store.clear();
  }

  /** The attempts of the present epoch. */
  async #epoch(): Promise<Attempts> {
    const now = await Attempts.of(this.#given);
    if (this.#known?.first === now.first) return this.#known;
    this.#free = 0;
    this.#known = now;
    return now;
  }

  slots(): readonly string[] {
    return [...(this.#known?.slots ?? [])];
  }
}
