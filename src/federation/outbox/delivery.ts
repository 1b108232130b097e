import type { Domain } from "../../protocol/address.js";
import type { PeerCalls, PeerOffers } from "../peers/types.js";
import { backoffMillis } from "./backoff.js";
import type { Terms } from "./choosing.js";
import type { OutboxSettings } from "./config.js";
import { delayOpen, delayRefused, delayTagged, delayUnreadable } from "./delayed-transactions.js";
import type { DelayedTransaction } from "./delayed-transactions-store.js";
import type { SentTransaction } from "./flights.js";
import {
  type Claimed,
  firstHoldEnd,
  type Lease,
  releaseDestination,
  releaseFailed,
  releaseHeld,
  releaseIdle,
} from "./lease-store.js";
import type { OutgoingTransaction } from "./outgoing-transaction.js";
import { hadMore, plainForm } from "./plain-form.js";
import { type Answered, type FailedAttempt, type NotAnswered, problemOf } from "./response.js";
import { findDestination } from "./store.js";
import { afterAcceptance, afterRefusal, mostMessages, usualMessagesFor } from "./transaction-size.js";
import { type AnsweredTransaction, Transactions, type TransactionsDeps } from "./transactions.js";

// One delivery: what a node does for one destination while it holds the destination's lease. Its `state` is one of these:
//
//   reaching    enters: the lease was taken
//               leaves: sending, once it is known what the peer takes. The peer is called first if the last attempt failed, or if there
//                       was none; no answer: released with backoff
//   sending     enters: the peer was reached; or there is more to send, or an outcome was taken
//               leaves: deciding, with the outcome of a transaction; resting, when nothing can be sent and nothing is in flight;
//                       released, when it must yield or the destination is blocked, after everything in flight was answered
//   deciding    enters: a transaction has an outcome. Every message accepted or rejected for good: sending, while the messages are
//                       deleted. Any other outcome changes which messages come next, so it waits until nothing is in flight
//               leaves: sending or released:
//                         no answer, 5xx, 429, 403           backoff; the transaction keeps its id and its messages
//                         400, 413, 415, 422                 choose again in the plain form, then half as many; delay a message that
//                                                            is refused alone. Keep the tags that the peer may know
//                         2xx that settles nothing           delay
//                         401, or a refused token's code     send the same once more, with a new token
//                         409                                choose again under a new id
//                         some messages are left over        forget what is stored and not sent, and choose new ids for the rest
//   resting     enters: nothing can be sent: the queue is empty, or its messages are on hold, expiring, or just arrived
//               leaves: sending, when messages arrive within the linger time, and once more after another look at all messages;
//                       else released
//   released    enters: the lease has ended, and says when the destination is due again. Nothing leaves
//
// transactions.ts says which states a transaction has: choosing.ts chooses and stores it, flights.ts sends it, and transactions.ts
// settles it. The delivery speaks to transactions.ts alone, and decides what follows from outcomes.

const maxInstantRetries = 2;
/** If more messages in a row are refused alone, the destination refuses everything, and waits as a whole. */
const maxRefusedAlone = 8;
const maxIdleCheckMillis = 1000;

export interface DeliveryDeps extends TransactionsDeps {
  calls: Pick<PeerCalls, "reach" | "deliver" | "offers">;
  config: TransactionsDeps["config"] & Pick<OutboxSettings, "outboxTransactionMessages" | "outboxLingerMillis">;
  /**
   * Why to end after this many transactions: "yield" if another destination waits, the node stops, or sending is off; a problem
   * if nothing may be sent to this destination. Undefined if the delivery may go on.
   */
  endingOf(domain: Domain, transactions: number): Ending | undefined;
}

/** The states above, in which the delivery stands between two steps. It is also released when the node has abandoned it. */
type State = "reaching" | "sending" | { deciding: SentTransaction } | "resting" | "released";

/** Why a delivery must end now. */
export type Ending = "yield" | { problem: string };

export class Delivery {
  private readonly deps: DeliveryDeps;
  private readonly lease: Lease;
  private readonly domain: Domain;
  private readonly transactions: Transactions;
  private state: State = "reaching";
  /** Whether the destination had never answered when the lease was taken. */
  private readonly unreached: boolean;
  /** Whether its first answer came in this delivery, which occupies a slot of unreached destinations. */
  private newlyReached = false;
  private failures: number;
  /** Maximum of messages after a larger transaction was refused as a whole. Null for the peer's usual number. */
  private transactionLimit: number | null;
  private usualMessages = 1;
  private form = plainForm;
  private takesTags = false;
  /** The destination's last position before the last look at all messages; null until nothing was left to send. */
  private lastLook: number | null = null;
  /** Answers in a row that settled no message, after which the delivery continued without a wait. */
  private setbacks = 0;
  private sent = 0;

  constructor(lease: Lease, claimed: Claimed, deps: DeliveryDeps) {
    this.deps = deps;
    this.lease = lease;
    this.domain = lease.domain as Domain;
    this.transactions = new Transactions(lease, claimed, deps);
    this.unreached = claimed.unreached;
    this.failures = claimed.failures;
    this.transactionLimit = claimed.transactionLimit;
  }

  /** Delivers until nothing is left, an attempt fails, or it must yield. Ends the lease. */
  async run(): Promise<void> {
    try {
      do this.state = await this.leave(this.state);
      while (this.state !== "released" && !this.deps.abandoned());
    } finally {
      await this.transactions.close();
    }
  }

  /** There may be new messages for the destination. */
  messagesArrived(): void {
    this.transactions.messagesArrived();
  }

  /** Something else has happened, which may end the delivery. */
  wake(): void {
    this.transactions.wake();
  }

  /** Does what a state asks for, and returns the next one. */
  private leave(state: State): Promise<State> {
    switch (state) {
      case "reaching":
        return this.reach();
      case "sending":
        return this.send();
      case "resting":
        return this.rest();
      case "released":
        return Promise.resolve(state);
      default:
        return this.decide(state.deciding);
    }
  }

  /**
   * Calls a destination whose last attempt failed, or which was never reached, before any message is read for it: while the
   * call waits, the delivery occupies a slot and no memory. Of other destinations only the offers are needed, which are remembered.
   */
  private async reach(): Promise<State> {
    const ending = this.ending();
    if (ending !== undefined) return this.end(ending);
    const { abandoned, calls, metrics } = this.deps;
    try {
      if (this.unreached || this.failures > 0) await calls.reach(this.domain);
      this.noteOffers(await calls.offers(this.domain));
      return "sending";
    } catch (error) {
      const problem = problemOf(error);
      if (abandoned()) return "released";
      metrics.count("federated_transactions_failed");
      return this.backOff(problem);
    }
  }

  private noteOffers(offers: PeerOffers): void {
    const { outboxTransactionMessages: usual } = this.deps.config;
    this.usualMessages = usualMessagesFor(offers, usual);
    this.takesTags = offers.takesDedupTags;
    this.form = {
      shares: offers.sharesCiphertexts,
      attached: offers.attachesCiphertexts,
      tags: offers.takesDedupTags,
      events: offers.takesSystemEvents,
      lifetimes: offers.takesLifetimes,
    };
  }

  private async send(): Promise<State> {
    const ending = this.ending();
    const event = await this.transactions.next(ending === undefined ? this.terms() : undefined);
    switch (event.kind) {
      case "answered":
        return { deciding: event };
      case "sent":
        this.sent += 1;
        this.lastLook = null;
        return "sending";
      case "woken":
        return "sending";
      case "nothing to send":
        return ending === undefined ? "resting" : this.end(ending);
    }
  }

  private terms(): Terms {
    const { unreached, transactionLimit, usualMessages, failures } = this;
    return {
      form: this.form,
      transactionLimit,
      takesTags: this.takesTags,
      maxMessages: mostMessages(transactionLimit, usualMessages),
      alone: unreached || transactionLimit !== null,
      failing: failures > 0,
    };
  }

  private ending(): Ending | undefined {
    return this.newlyReached ? "yield" : this.deps.endingOf(this.domain, this.sent);
  }

  private end(ending: Ending): Promise<State> {
    return ending === "yield" ? this.releaseAt(this.deps.clock.nowMillis()) : this.backOff(ending.problem);
  }

  private async rest(): Promise<State> {
    if (this.transactions.lookAgainAfterHolds()) return "sending";
    if (this.sent > 0 && this.lastLook === null && (await this.linger())) return "sending";
    const { db, pipelined, clock } = this.deps;
    if (await releaseIdle(pipelined, this.lease)) return "released";
    if (this.lastLook === null) {
      this.lastLook = (await findDestination(db, this.domain))?.last_position ?? 0;
      this.transactions.lookAgain();
      return "sending";
    }
    const holdEnd = await firstHoldEnd(db, this.domain);
    const nowMillis = clock.nowMillis();
    const nextAttemptMillis = Math.max(nowMillis + 1, holdEnd ?? nowMillis + maxIdleCheckMillis);
    await releaseHeld(db, { ...this.lease, nextAttemptMillis, nowMillis, seen: this.lastLook });
    return "released";
  }

  /** Waits for more messages, since giving the lease up and taking it again costs more than a message. */
  private async linger(): Promise<boolean> {
    const { abandoned, config, endingOf } = this.deps;
    const hasMore = await this.transactions.linger(config.outboxLingerMillis);
    return hasMore && !abandoned() && endingOf(this.domain, Number.POSITIVE_INFINITY) !== "yield";
  }

  private async decide({ outgoing, outcome: given }: SentTransaction): Promise<State> {
    const { abandoned, metrics } = this.deps;
    if (given === undefined || abandoned()) return "released";
    // If a new token has changed nothing, the answer counts by its status.
    const otherwise = given.kind === "unauthorized" && this.setbacks > 0 ? given.otherwise : null;
    const outcome = otherwise ?? given;
    if (outcome.kind !== "answered") {
      metrics.count("federated_transactions_failed");
      await this.transactions.allAnswered();
      return abandoned() ? "released" : this.takeFailure(outgoing, outcome);
    }
    if (this.failures > 0 && outcome.accepted.length > 0) await this.transactions.hasten();
    this.noteAnswer(outcome);
    if (outgoing.transaction.delayed === null && isSettled(outcome)) {
      this.transactions.settleInBackground({ outgoing, outcome }, this.destinationState());
      return "sending";
    }
    await this.transactions.allAnswered();
    return abandoned() ? "released" : this.postpone({ outgoing, outcome });
  }

  private noteAnswer({ accepted, unclear, overloaded }: Answered): void {
    this.failures = accepted.length === 0 && overloaded ? this.failures + 1 : 0;
    this.transactionLimit = unclear.length > 0 ? 1 : afterAcceptance(this.transactionLimit, this.usualMessages);
    this.setbacks = 0;
    this.newlyReached = this.unreached;
  }

  private destinationState() {
    return { failures: this.failures, transactionLimit: this.transactionLimit };
  }

  /** Settles a transaction of which some messages are sent again. What is stored behind it may be for the same recipients. */
  private async postpone(answered: AnsweredTransaction): Promise<State> {
    const { deferred, unclear, open, overloaded } = answered.outcome;
    const { transaction } = answered.outgoing;
    await this.transactions.forgetUnsent(this.transactionLimit);
    await this.transactions.settle(answered, this.destinationState());
    // The recipients of a delayed transaction are free again.
    if (unclear.length > 0 || transaction.delayed !== null) this.transactions.lookAgain();
    if (deferred.length > 0) await this.transactions.hold(deferred);
    const next = open.length > 0 ? await this.delay(delayOpen(transaction, open, this.deps)) : "sending";
    if (!overloaded || next === "released") return next;
    const wait = backoffMillis(Math.max(1, this.failures), {}, this.deps);
    return this.releaseAt(this.deps.clock.nowMillis() + wait);
  }

  private async takeFailure(outgoing: OutgoingTransaction, outcome: NotAnswered): Promise<State> {
    switch (outcome.kind) {
      case "failed":
        return this.takeNoAnswer(outgoing, outcome);
      case "refused":
        return this.takeRefusal(outgoing, outcome.problem);
      case "unreadable": {
        const next = await this.delay(delayUnreadable(outgoing, outcome.problem, this.deps));
        if (next === "sending") await this.transactions.forgetUnsent(this.transactionLimit);
        return next;
      }
      case "conflict":
        await this.transactions.abandon(outgoing.transaction, this.transactionLimit);
        break;
      case "unauthorized":
        this.transactions.sendAgain(outgoing.transaction);
    }
    // Several that were in flight together count once.
    if (this.transactions.areAnswered()) this.setbacks += 1;
    return this.setbacks <= maxInstantRetries ? "sending" : this.backOff(outcome.kind);
  }

  /** A transaction beyond the usual size may be more than the peer's limits leave, however long it waits. */
  private async takeNoAnswer({ transaction, items }: OutgoingTransaction, outcome: FailedAttempt): Promise<State> {
    const { outboxTransactionMessages: usual } = this.deps.config;
    if (outcome.overLimit && items.length > usual) {
      this.transactionLimit = usual;
      await this.transactions.abandon(transaction, usual);
    }
    return this.backOff(outcome.problem, outcome.retryAfterSeconds);
  }

  /**
   * A transaction was refused as a whole, which ends no message. What the specification does not name is left out first; then the
   * transaction is halved until the message at fault is alone and is delayed, so that others pass. While the peer may know messages
   * by their tags, those are kept: it would take the messages for new ones without.
   */
  private async takeRefusal(outgoing: OutgoingTransaction, problem: string): Promise<State> {
    const { transaction, items } = outgoing;
    const { inDoubt, isDoubtful } = await this.transactions.doubtAbout(outgoing);
    const extended = hadMore(outgoing, { inDoubt });
    if (extended) this.form = plainForm;
    else if (items.length > 1) this.transactionLimit = afterRefusal(items.length);
    await this.transactions.abandon(transaction, this.transactionLimit);
    if (extended || items.length > 1) return "sending";
    // It is delayed with its tag, or next in the plain form. Nothing says yet that the peer refuses everything.
    if (inDoubt) return this.delay(delayTagged(outgoing, { problem, isDoubtful }, this.deps));
    if (transaction.delayed === null) this.setbacks += 1;
    const next = await this.delay(delayRefused(outgoing, problem, this.deps));
    if (next === "released" || (this.failures === 0 && this.setbacks <= maxRefusedAlone)) return next;
    return this.backOff(problem);
  }

  /** The destination waits as a whole if no further transaction can be delayed. */
  private async delay(delayed: DelayedTransaction): Promise<State> {
    const { problem, waitMillis, transaction } = delayed;
    if (!(await this.transactions.delay(delayed))) return this.backOff(problem, Math.ceil(waitMillis / 1000));
    const { domain } = this;
    const messages = transaction.positions.length;
    this.deps.logger.info({ domain, messages, problem }, "messages for another server are sent again later");
    return "sending";
  }

  /** Ends the lease after a failed attempt. */
  private async backOff(problem: string, retryAfterSeconds: number | null = null): Promise<State> {
    const nowMillis = this.deps.clock.nowMillis();
    const wait = backoffMillis(this.failures + 1, { retryAfterSeconds }, this.deps);
    await releaseFailed(this.deps.db, { ...this.lease, nowMillis, nextAttemptMillis: nowMillis + wait, problem });
    return "released";
  }

  /** Ends the lease. The destination is due again at the given time. */
  private async releaseAt(nextAttemptMillis: number): Promise<State> {
    await releaseDestination(this.deps.db, { ...this.lease, nextAttemptMillis });
    return "released";
  }
}

/** Whether every message was accepted or rejected for good. */
function isSettled({ deferred, unclear, open, overloaded }: Answered): boolean {
  return deferred.length === 0 && unclear.length === 0 && open.length === 0 && !overloaded;
}
