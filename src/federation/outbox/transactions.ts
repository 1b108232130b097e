import type { MetricsService } from "../../metrics/service.js";
import type { Logger } from "../../platform/logger.js";
import type { Random } from "../../platform/random.js";
import type { Domain } from "../../protocol/address.js";
import { type BackoffConfig, deferRecipients } from "./backoff.js";
import { Choosing, type ChoosingDeps, type Terms } from "./choosing.js";
import type { OutboxSettings } from "./config.js";
import { type DelayedTransaction, hastenRefused, storeDelayed } from "./delayed-transactions-store.js";
import { Flights, type FlightsDeps, type SentTransaction } from "./flights.js";
import { type Claimed, endHolds, type Lease } from "./lease-store.js";
import type { OutgoingTransaction } from "./outgoing-transaction.js";
import type { Answered, SentItem } from "./response.js";
import type { StoredTransaction } from "./stored-transaction.js";
import { settleTransaction } from "./transaction-store.js";

// The transactions of one delivery. Each is in one of these states:
//
//   stored      enters: the first waiting messages are chosen and stored under a new id; or an earlier delivery left it unanswered
//               leaves: prepared, in flight; or forgotten, if a message is gone (expired, purged) or an answer to another
//                       transaction changes what comes next. Its messages are then chosen again under another id
//   prepared    enters: it is stored and encoded while another one is in flight
//               leaves: in flight, once no recipient has a message in flight; or forgotten, as above
//   in flight   enters: it is sent
//               leaves: answered, with an outcome, also if there was no answer
//   answered    enters: `next` returns it to the delivery, which decides
//               leaves: settled (`settle`), stored to be sent again (`sendAgain`), delayed (`delay`), or forgotten (`abandon`)
//   delayed     enters: its messages are to be sent again later and apart from others. Their recipients are on hold meanwhile
//               leaves: stored, once it is due and nothing is in flight
//   settled     enters: its accepted and rejected messages are deleted. Nothing leaves
//
// Every transaction is stored before it is sent, and messages are deleted only after the answer. If a delivery breaks off
// at any point, the next one, on any node, sends the stored transactions again in their order, and the peer recognises the
// transactions by their ids or the messages by their tags.
//
// Transactions take messages in the order of their positions. A message whose recipient has another one in flight waits, and so
// do all messages behind it. So each recipient's messages arrive in order, no matter which answer comes first.
//
// While many messages wait, a full transaction is stored and encoded while another one is in flight, and sent once that one is
// answered. A transaction that is not full can still grow:
//
//   sent:    1 ------> 2 ---------------> 3 ---------------> 4
//   stored:  1 | 1,2 | 2,3 (1 is settled) | 3,4 (2 is settled) | ...

export interface TransactionsDeps extends Omit<ChoosingDeps, "flights">, FlightsDeps {
  random: Pick<Random, "uuid" | "fraction">;
  metrics: Pick<MetricsService, "count">;
  logger: Logger;
  config: BackoffConfig & ChoosingDeps["config"] & Pick<OutboxSettings, "outboxLeaseSeconds">;
}

/** The state of the destination that is stored with a settled transaction. */
type DestinationState = Pick<Claimed, "failures" | "transactionLimit">;

export interface AnsweredTransaction {
  outgoing: OutgoingTransaction;
  outcome: Answered;
}

/** What has happened next. Nothing is in flight or being settled after "nothing to send". */
type Event = ({ kind: "answered" } & SentTransaction) | { kind: "sent" | "woken" | "nothing to send" };

export class Transactions {
  private readonly choosing: Choosing;
  private readonly flights: Flights;
  private readonly deps: TransactionsDeps;
  private readonly lease: Lease & { domain: Domain };

  constructor({ domain, leaseId }: Lease, claimed: Claimed, deps: TransactionsDeps) {
    this.deps = deps;
    this.lease = { domain: domain as Domain, leaseId };
    this.flights = new Flights(this.lease.domain, (transaction) => this.choosing.noteDoubt(transaction), deps);
    this.choosing = new Choosing(this.lease, claimed, { ...deps, flights: this.flights });
  }

  /**
   * Returns the oldest outcome; or sends a transaction; or waits for an outcome or new messages. Sends nothing without terms.
   * Throws if a transaction or a statement broke off.
   */
  async next(terms: Terms | undefined): Promise<Event> {
    const answered = this.flights.takeAnswered();
    if (answered !== undefined) {
      this.choosing.noteAnswered();
      return { kind: "answered", ...answered };
    }
    const outgoing = terms === undefined ? undefined : await this.choosing.next(terms);
    if (outgoing !== undefined) {
      this.flights.send(outgoing);
      return { kind: "sent" };
    }
    if (this.flights.isEmpty()) {
      await this.flights.settled();
      return { kind: "nothing to send" };
    }
    await this.flights.wait();
    return { kind: "woken" };
  }

  /** There may be new messages. */
  messagesArrived(): void {
    this.choosing.messagesArrived();
    this.flights.wake();
  }

  /** Ends a wait early. */
  wake(): void {
    this.flights.wake();
  }

  /** Whether nothing is in flight. */
  areAnswered(): boolean {
    return this.flights.isEmpty();
  }

  /** Resolves when nothing is in flight or being settled. Never throws. */
  allAnswered(): Promise<void> {
    return this.flights.ended();
  }

  /** Begins another pass over the messages, from the first one on. */
  lookAgain(): void {
    this.choosing.lookAgain();
  }

  /** The same if holds may have ended since the last one began; whether it did. */
  lookAgainAfterHolds(): boolean {
    return this.choosing.lookAgainAfterHolds();
  }

  /** Has an answered transaction sent again, as it is stored. */
  sendAgain(transaction: StoredTransaction): void {
    this.choosing.sendAgain(transaction);
  }

  /** Forgets an answered transaction, and everything that is stored and not sent. Nothing may be in flight. */
  abandon(transaction: StoredTransaction, limit: number | null): Promise<void> {
    return this.choosing.abandon(transaction, limit);
  }

  /** Forgets what is stored and not sent: it may be for recipients who are on hold now. */
  forgetUnsent(limit: number | null): Promise<void> {
    return this.choosing.forgetUnsent(limit);
  }

  /** Whether the peer may know messages that wait by their tags, and some of this transaction. */
  async doubtAbout({ transaction, items }: OutgoingTransaction): Promise<{ inDoubt: boolean; isDoubtful: boolean }> {
    const inDoubt = transaction.form.tags && (await this.choosing.isInDoubt());
    return { inDoubt, isDoubtful: inDoubt && items.some(({ position }) => this.choosing.isDoubtful(position)) };
  }

  /** Waits for new messages. Whether there may be something to send. */
  async linger(millis: number): Promise<boolean> {
    if (this.choosing.isAtTheEnd()) await this.flights.wait(millis);
    return this.choosing.mayHaveMore();
  }

  /** Deletes the messages that were accepted or rejected for good, while other transactions are sent. */
  settleInBackground(answered: AnsweredTransaction, state: DestinationState): void {
    this.flights.settleInBackground(this.settle(answered, state));
  }

  /** Deletes the messages that were accepted or rejected for good. The other messages are chosen again. */
  async settle({ outcome, outgoing }: AnsweredTransaction, state: DestinationState): Promise<void> {
    const { db, pipelined, clock, config } = this.deps;
    const { accepted, rejected, deferred, unclear } = outcome;
    this.choosing.forgetDoubt(positionsOf([...accepted, ...rejected, ...deferred]));
    this.choosing.noteDoubt({ form: outgoing.transaction.form, positions: positionsOf(unclear) });
    const removed = await settleTransaction(pipelined, {
      ...this.lease,
      ...state,
      leaseSeconds: config.outboxLeaseSeconds,
      transactionId: outgoing.transaction.id,
      done: [...accepted, ...rejected],
      now: clock.nowSeconds(),
    });
    this.noteRemoved(removed, outcome);
    if (!this.choosing.hasHeld() || accepted.length === 0) return;
    // The queues of these recipients have room again.
    const recipients = [...new Set(accepted.map(({ recipient }) => recipient))];
    await endHolds(db, { domain: this.lease.domain, recipients });
  }

  /** Puts recipients on hold that the peer may accept messages for later. */
  async hold(items: readonly SentItem[]): Promise<void> {
    await deferRecipients(this.lease.domain, items, this.deps);
    this.choosing.noteHeld();
  }

  /** Delays a transaction that is not in flight. False if no further one can be delayed. */
  async delay({ waitMillis, ...delayed }: DelayedTransaction): Promise<boolean> {
    const dueMillis = this.deps.clock.nowMillis() + waitMillis;
    if (!(await storeDelayed(this.deps.db, this.lease, { ...delayed, dueMillis }))) return false;
    this.choosing.noteDelayed(delayed.transaction, dueMillis);
    return true;
  }

  /** Makes delayed transactions due that a destination refused while it refused everything. */
  async hasten(): Promise<void> {
    if (!this.choosing.hasDelayed()) return;
    const nowMillis = this.deps.clock.nowMillis();
    this.choosing.noteHastened(nowMillis);
    await hastenRefused(this.deps.db, { ...this.lease, nowMillis });
  }

  /** Waits for what is in flight, unless the node has abandoned the delivery. What is prepared stays stored. */
  async close(): Promise<void> {
    if (!this.deps.abandoned()) await this.allAnswered();
    this.choosing.freePrepared();
  }

  /** Counts and logs the messages that this statement removed. Another node may have removed the others. */
  private noteRemoved(removed: readonly number[], outcome: Answered): void {
    const { metrics, logger } = this.deps;
    const { domain } = this.lease;
    const positions = new Set(removed);
    const isRemoved = ({ position }: SentItem) => positions.has(position);
    const messages = outcome.accepted.filter(isRemoved).length;
    const errors = outcome.rejected.filter(isRemoved).map(({ error }) => error);
    if (messages > 0) metrics.count("federated_messages_sent", messages);
    if (errors.length > 0) metrics.count("federated_deliveries_failed", errors.length);
    const { withoutReceipt: status } = outcome;
    if (status !== undefined) logger.warn({ domain, messages, status }, "messages were delivered without a receipt");
    else if (messages > 0) logger.debug({ domain, messages }, "messages were delivered");
    if (errors.length > 0) {
      logger.warn({ domain, messages: errors.length, errors: [...new Set(errors)] }, "messages were rejected for good");
    }
  }
}

function positionsOf(items: readonly SentItem[]): number[] {
  return items.map(({ position }) => position);
}
