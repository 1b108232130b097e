import type { MetricsService } from "../../metrics/service.js";
import { createWakeUp } from "../../platform/concurrency/wake-up.js";
import type { Logger } from "../../platform/logger.js";
import type { Random } from "../../platform/random.js";
import type { Domain } from "../../protocol/address.js";
import type { PeerCalls } from "../peers/types.js";
import { type BackoffConfig, deferRecipients } from "./backoff.js";
import type { OutboxSettings } from "./config.js";
import { type DelayedTransaction, firstDelayed, hastenRefused, storeDelayed } from "./delay-store.js";
import { type Claimed, endHolds, type Lease } from "./lease-store.js";
import {
  isStillThere,
  type OutgoingDeps,
  type OutgoingTransaction,
  prepareTransactions,
  readTransaction,
  type Selection,
  storeTransaction,
} from "./outgoing-transaction.js";
import { type Answered, parseFailure, parseResponse, type ResponseOutcome, type SentItem } from "./response.js";
import type { DeliveryForm, StoredTransaction } from "./transaction.js";
import { abandonTransactions, countWaiting, forgetTransactions, settleTransaction } from "./transaction-store.js";

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

/** Up to this many messages in flight, others for other recipients do not wait for the answer. */
const fewMessages = 32;

export interface TransactionsDeps extends OutgoingDeps {
  random: Pick<Random, "uuid" | "fraction">;
  metrics: Pick<MetricsService, "count">;
  logger: Logger;
  calls: Pick<PeerCalls, "deliver">;
  config: BackoffConfig &
    Pick<OutboxSettings, "outboxTransactionBytes" | "outboxTransactionsInFlight" | "outboxLeaseSeconds">;
}

/** What the delivery asks of the next transaction. */
export interface Terms {
  form: DeliveryForm;
  maxMessages: number;
  /** Nothing else may be in flight: the destination was never reached, or a message at fault is being found. */
  alone: boolean;
  /** The destination fails and may refuse the delayed transactions alone, so new ones go first. */
  failing: boolean;
  transactionLimit: number | null;
  /** Whether the peer announces `dedup_tag`. */
  takesTags: boolean;
}

/** The state of the destination that is stored with a settled transaction. */
type DestinationState = Pick<Claimed, "failures" | "transactionLimit">;

/** A transaction that has been answered or given up. The outcome is undefined if it was never sent. */
export interface SentTransaction {
  outgoing: OutgoingTransaction;
  outcome: ResponseOutcome | undefined;
}

export interface AnsweredTransaction {
  outgoing: OutgoingTransaction;
  outcome: Answered;
}

/** What has happened next. Nothing is in flight or being settled after "nothing to send". */
type Event = ({ kind: "answered" } & SentTransaction) | { kind: "sent" | "woken" | "nothing to send" };

interface PreparedTransaction extends OutgoingTransaction {
  /** The position that this choice began after. */
  chosenAfter: number;
}

interface Flight {
  outgoing: OutgoingTransaction;
  recipients: ReadonlySet<string>;
  done: Promise<void>;
}

export class Transactions {
  private readonly deps: TransactionsDeps;
  private readonly lease: Lease & { domain: Domain };
  /** Wakes `next` and `linger`. */
  private readonly wakeUp = createWakeUp();
  /** Whether there may be new messages since this was last looked at. */
  private hasNewMessages = false;
  /** Stored transactions to send again, one at a time and in order, before any is chosen. */
  private unanswered: StoredTransaction[];
  /** No two of them have a recipient in common. */
  private prepared: PreparedTransaction[] = [];
  private readonly flights = new Set<Flight>();
  private readonly outcomes: { flight: Flight; outcome: ResponseOutcome | undefined }[] = [];
  /** The statements that settle answered transactions. */
  private readonly settling = new Set<Promise<void>>();
  /** The first error of a transaction or statement that ran in the background. */
  private broken: { error: unknown } | undefined;
  /** Positions of messages that the peer may have stored with their tags, since an attempt told nothing about them. */
  private readonly doubtful = new Set<number>();
  /** When the first delayed transaction is due, in Unix milliseconds; null if there is none. */
  private delayedUntil: number | null;
  /** Whether there may be recipients on hold. */
  private held: boolean;
  /** Messages up to this position are held or were chosen in this pass. */
  private after = 0;
  /** When the pass over the messages began, in Unix milliseconds. Holds count as of then. */
  private passBegan: number;
  /** What is behind `after`, as far as is known: nothing, or nothing that may be sent before another answer. */
  private behind: "unknown" | "nothing" | "busy" = "unknown";
  /** Whether the transaction that was chosen last had the maximum of messages or bytes. */
  private lastWasFull = false;
  /** Whether nothing is chosen until everything in flight is settled, because its messages would be chosen again. */
  private draining = false;

  constructor({ domain, leaseId }: Lease, claimed: Claimed, deps: TransactionsDeps) {
    this.deps = deps;
    this.lease = { domain: domain as Domain, leaseId };
    this.unanswered = claimed.transactions;
    for (const transaction of claimed.transactions) this.noteDoubt(transaction);
    this.delayedUntil = claimed.delayedUntil;
    this.held = claimed.held;
    this.passBegan = deps.clock.nowMillis();
  }

  /**
   * Returns the oldest outcome; or sends a transaction; or waits for an outcome or new messages. Sends nothing without terms.
   * Throws if a transaction or a statement broke off.
   */
  async next(terms: Terms | undefined): Promise<Event> {
    this.throwIfBroken();
    const answered = this.outcomes.shift();
    if (answered !== undefined) {
      this.flights.delete(answered.flight);
      if (this.behind === "busy") this.behind = "unknown";
      return { kind: "answered", outgoing: answered.flight.outgoing, outcome: answered.outcome };
    }
    const outgoing = terms === undefined ? undefined : await this.nextOutgoing(terms);
    if (outgoing !== undefined) {
      this.send(outgoing);
      return { kind: "sent" };
    }
    if (this.flights.size === 0) {
      await this.settled();
      return { kind: "nothing to send" };
    }
    await this.wakeUp.wait();
    return { kind: "woken" };
  }

  /** There may be new messages. */
  messagesArrived(): void {
    this.hasNewMessages = true;
    this.wake();
  }

  /** Ends a wait early. */
  wake(): void {
    this.wakeUp.wake();
  }

  /** Waits for new messages. Whether there may be something to send. */
  async linger(millis: number): Promise<boolean> {
    if (this.behind === "nothing") await this.wakeUp.wait(millis);
    this.noteNewMessages();
    return this.behind !== "nothing";
  }

  /** Begins another pass over the messages, from the first one on. */
  lookAgain(): void {
    this.after = 0;
    this.behind = "unknown";
  }

  /** Begins another pass if holds may have ended since the last one began. */
  lookAgainAfterHolds(): boolean {
    if (!this.held || this.after === 0) return false;
    this.lookAgain();
    return true;
  }

  nothingInFlight(): boolean {
    return this.flights.size === 0;
  }

  /** Resolves when every transaction has an outcome, and nothing is being settled any more. Never throws. */
  async ended(): Promise<void> {
    await Promise.all([...this.flights].map(({ done }) => done));
    await Promise.all(this.settling);
  }

  /** Deletes the messages that were accepted or rejected for good, while other transactions are sent. */
  settleInBackground(answered: AnsweredTransaction, state: DestinationState): void {
    const settled: Promise<void> = this.settle(answered, state)
      .catch((error: unknown) => this.breakOff(error))
      .finally(() => {
        this.settling.delete(settled);
        if (this.broken !== undefined) this.wakeUp.wake();
      });
    this.settling.add(settled);
  }

  /** Deletes the messages that were accepted or rejected for good. The other messages are chosen again. */
  async settle({ outcome, outgoing }: AnsweredTransaction, state: DestinationState): Promise<void> {
    const { db, pipelined, clock, config } = this.deps;
    const { accepted, rejected, deferred, unclear } = outcome;
    for (const { position } of [...accepted, ...rejected, ...deferred]) this.doubtful.delete(position);
    if (outgoing.transaction.form.tags) for (const { position } of unclear) this.doubtful.add(position);
    const removed = await settleTransaction(pipelined, {
      ...this.lease,
      ...state,
      leaseSeconds: config.outboxLeaseSeconds,
      transactionId: outgoing.transaction.id,
      positions: [...accepted, ...rejected].map(({ position }) => position),
      now: clock.nowSeconds(),
    });
    this.noteRemoved(removed, outcome);
    if (!this.held || accepted.length === 0) return;
    // The queues of these recipients have room again.
    const recipients = [...new Set(accepted.map(({ recipient }) => recipient))];
    await endHolds(db, { domain: this.lease.domain, recipients });
  }

  /** Puts recipients on hold that the peer may accept messages for later. */
  async hold(items: readonly SentItem[]): Promise<void> {
    await deferRecipients(this.lease.domain, items, this.deps);
    this.held = true;
  }

  /** Delays a transaction that is not in flight. False if no further one can be delayed. */
  async delay({ waitMillis, ...delayed }: DelayedTransaction): Promise<boolean> {
    const dueMillis = this.deps.clock.nowMillis() + waitMillis;
    if (!(await storeDelayed(this.deps.db, this.lease, { ...delayed, dueMillis }))) return false;
    // They are chosen no more. Their stored form says whether they may be known by their tags.
    for (const position of delayed.transaction.positions) this.doubtful.delete(position);
    this.held = true;
    this.delayedUntil = Math.min(this.delayedUntil ?? dueMillis, dueMillis);
    return true;
  }

  /** Makes delayed transactions due that a destination refused while it refused everything. */
  async hasten(): Promise<void> {
    if (this.delayedUntil === null) return;
    const nowMillis = this.deps.clock.nowMillis();
    this.delayedUntil = nowMillis;
    await hastenRefused(this.deps.db, { ...this.lease, nowMillis });
  }

  /** Whether the peer may know this message by its tag. */
  isDoubtful(position: number): boolean {
    return this.doubtful.has(position);
  }

  /** Whether the peer may know any message that waits by its tag. */
  async isInDoubt(): Promise<boolean> {
    if (this.doubtful.size === 0) return false;
    const { pipelined, clock } = this.deps;
    const waiting = { ...this.lease, positions: [...this.doubtful], now: clock.nowSeconds() };
    if ((await countWaiting(pipelined, waiting)) === 0) this.doubtful.clear();
    return this.doubtful.size > 0;
  }

  /** Has an answered transaction sent again, as it is stored. */
  sendAgain(transaction: StoredTransaction): void {
    this.unanswered.push(transaction);
    this.unanswered.sort((a, b) => (a.positions[0] ?? 0) - (b.positions[0] ?? 0));
  }

  /** Forgets a transaction that is not in flight, and everything that is stored and not sent. Nothing may be in flight. */
  async abandon({ id, delayed }: StoredTransaction, limit: number | null): Promise<void> {
    if (delayed !== null) await forgetTransactions(this.deps.pipelined, { ...this.lease, transactionIds: [id] });
    await this.abandonStored(limit);
  }

  /** Forgets what is stored and not sent: it may be for recipients who are on hold now. */
  async forgetUnsent(limit: number | null): Promise<void> {
    if (this.unanswered.length > 0) await this.abandonStored(limit);
    else await this.forgetPrepared();
  }

  /** Waits for what is in flight, unless the node has abandoned the delivery. What is prepared stays stored. */
  async close(): Promise<void> {
    if (!this.deps.abandoned()) await this.ended();
    this.freePrepared();
  }

  // What is sent next: first what an earlier delivery left unanswered, then what is prepared, then a delayed transaction that
  // is due, then the first messages behind those that were chosen before.

  private async nextOutgoing(terms: Terms): Promise<OutgoingTransaction | undefined> {
    if (this.unanswered.length > 0) return this.nothingInFlight() ? this.resume(terms) : undefined;
    if (this.prepared.length > 0) return this.takePrepared();
    if (this.draining && !(await this.isDrained())) return undefined;
    if (terms.failing) return (await this.nextChosen(terms)) ?? this.nextDelayed(terms);
    if (this.isDelayedDue() && !this.nothingInFlight()) return undefined;
    return (await this.nextDelayed(terms)) ?? this.nextChosen(terms);
  }

  /** Whether everything in flight has been answered, and what was delivered is gone. */
  private async isDrained(): Promise<boolean> {
    if (!this.nothingInFlight()) return false;
    await this.settled();
    this.draining = false;
    return true;
  }

  /** The first stored transaction without an answer, if it can be sent as it is stored: otherwise its messages need another id. */
  private async resume(terms: Terms): Promise<OutgoingTransaction | undefined> {
    const [first] = this.unanswered;
    if (first === undefined) return undefined;
    const outgoing = await readTransaction(this.lease, first, this.deps);
    if (outgoing !== undefined || this.deps.abandoned()) {
      this.unanswered.shift();
      return outgoing;
    }
    await this.abandon(first, terms.transactionLimit);
    return this.choose(terms);
  }

  private async takePrepared(): Promise<OutgoingTransaction | undefined> {
    if (this.flights.size >= this.deps.config.outboxTransactionsInFlight) return undefined;
    const busy = new Set(this.busyRecipients());
    const free = this.prepared.find(({ items }) => !items.some(({ recipient }) => busy.has(recipient)));
    if (free === undefined) return undefined;
    if (await isStillThere(this.lease, free, this.deps)) {
      this.prepared = this.prepared.filter((one) => one !== free);
      return free;
    }
    await this.forgetPrepared();
    return undefined;
  }

  private isDelayedDue(): boolean {
    return this.delayedUntil !== null && this.deps.clock.nowMillis() >= this.delayedUntil;
  }

  private async nextDelayed(terms: Terms): Promise<OutgoingTransaction | undefined> {
    if (!this.isDelayedDue() || !this.nothingInFlight()) return undefined;
    const first = await firstDelayed(this.deps.db, this.lease.domain);
    this.delayedUntil = first?.dueMillis ?? null;
    if (first === undefined || !this.isDelayedDue()) return undefined;
    this.unanswered = [first.transaction];
    this.noteDoubt(first.transaction);
    return this.resume(terms);
  }

  /**
   * A new transaction. Beside others it goes out only if a few messages are in flight: many gain more by leaving together. While
   * more are in flight, it is prepared.
   */
  private async nextChosen(terms: Terms): Promise<OutgoingTransaction | undefined> {
    this.noteNewMessages();
    if (this.behind !== "unknown") return undefined;
    if (this.nothingInFlight()) return this.choose(terms);
    if (terms.alone) return undefined;
    const messages = [...this.flights].reduce((sum, { outgoing }) => sum + outgoing.items.length, 0);
    const isRoom = this.flights.size < this.deps.config.outboxTransactionsInFlight && messages <= fewMessages;
    if (isRoom) return this.choose(terms);
    if (!this.lastWasFull) return undefined;
    await this.prepare(terms);
    return this.takePrepared();
  }

  private noteNewMessages(): void {
    if (this.hasNewMessages) this.behind = "unknown";
    this.hasNewMessages = false;
  }

  /** A new transaction. Undefined if there is none, or if messages of it are gone by the time they are read. */
  private async choose(terms: Terms): Promise<OutgoingTransaction | undefined> {
    // Messages that were answered must be gone before they are read again.
    if (this.after === 0) await this.settled();
    const busy = this.busyRecipients();
    const chosen = await storeTransaction(this.select(terms, busy), this.deps);
    if (chosen === undefined) {
      this.behind = busy.length > 0 ? "busy" : "nothing";
      return undefined;
    }
    const { transaction, more, full, outgoing } = chosen;
    this.behind = more ? "unknown" : "nothing";
    this.lastWasFull = full;
    this.passTo([transaction]);
    if (outgoing !== undefined || this.deps.abandoned()) return outgoing;
    // The messages that are left are chosen again, once nothing is in flight.
    this.unanswered = [transaction];
    this.behind = "unknown";
    return undefined;
  }

  /** Stores and encodes what is sent after an answer to those in flight. What cannot be prepared is chosen later. */
  private async prepare(terms: Terms): Promise<void> {
    const chosenAfter = this.after;
    const prepared = await prepareTransactions(this.select(terms, []), this.deps);
    if (prepared.length === 0) this.behind = "busy";
    this.prepared = prepared.map((one) => ({ ...one, chosenAfter }));
    this.passTo(prepared.map(({ transaction }) => transaction));
  }

  /** The messages behind those that were chosen before. */
  private select(terms: Terms, busy: readonly string[]): Selection {
    const { maxMessages, takesTags } = terms;
    const form = takesTags && this.doubtful.size > 0 ? { ...terms.form, tags: true } : terms.form;
    const nowMillis = this.deps.clock.nowMillis();
    if (this.after === 0) this.passBegan = nowMillis;
    return { ...this.lease, nowMillis, heldAfter: this.passBegan, after: this.after, limit: maxMessages, busy, form };
  }

  private passTo(chosen: readonly StoredTransaction[]): void {
    this.after = Math.max(this.after, ...chosen.map(({ positions }) => positions.at(-1) ?? 0));
  }

  private busyRecipients(): string[] {
    return [...this.flights].flatMap(({ recipients }) => [...recipients]);
  }

  private send(outgoing: OutgoingTransaction): void {
    const recipients = new Set(outgoing.items.map(({ recipient }) => recipient));
    const flight: Flight = { outgoing, recipients, done: Promise.resolve() };
    this.flights.add(flight);
    flight.done = this.deliver(outgoing)
      .then((outcome) => void this.outcomes.push({ flight, outcome }))
      .catch((error: unknown) => this.breakOff(error))
      .finally(() => {
        outgoing.reservation.free();
        this.wakeUp.wake();
      });
  }

  /** Undefined if the delivery was abandoned before anything was sent. */
  private async deliver({ transaction, items, body }: OutgoingTransaction): Promise<ResponseOutcome | undefined> {
    const { abandoned, calls, clock } = this.deps;
    if (abandoned()) return undefined;
    try {
      const answer = await calls.deliver(this.lease.domain, transaction.id, body);
      if (answer.repeated === true) this.noteDoubt(transaction);
      return parseResponse(answer, { transaction, items, nowMillis: clock.nowMillis() });
    } catch (error) {
      return parseFailure(error);
    }
  }

  /** An attempt to send the transaction may have arrived without an answer. */
  private noteDoubt({ form, positions }: StoredTransaction): void {
    if (form.tags) for (const position of positions) this.doubtful.add(position);
  }

  /** Resolves when everything that is settled has been written. Throws if a statement broke off. */
  private async settled(): Promise<void> {
    await Promise.all(this.settling);
    this.throwIfBroken();
  }

  private breakOff(error: unknown): void {
    this.broken ??= { error };
  }

  private throwIfBroken(): void {
    if (this.broken !== undefined) throw this.broken.error;
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

  /** Frees the memory of what is prepared. It stays stored. */
  private freePrepared(): void {
    for (const { reservation } of this.prepared) reservation.free();
    this.prepared = [];
  }

  /** Forgets what is prepared, so that its messages are chosen again under other ids. */
  private async forgetPrepared(): Promise<void> {
    const [first] = this.prepared;
    if (first === undefined) return;
    const transactionIds = this.prepared.map(({ transaction }) => transaction.id);
    this.freePrepared();
    this.after = first.chosenAfter;
    this.behind = "unknown";
    this.draining = true;
    await forgetTransactions(this.deps.pipelined, { ...this.lease, transactionIds });
  }

  /** Forgets the stored transactions, apart from delayed ones. */
  private async abandonStored(limit: number | null): Promise<void> {
    this.freePrepared();
    this.unanswered = [];
    this.lookAgain();
    await abandonTransactions(this.deps.db, { ...this.lease, limit });
  }
}
