import type { Domain } from "../../protocol/address.js";
import type { OutboxSettings } from "./config.js";
import { firstDelayed } from "./delayed-transactions-store.js";
import type { Flights } from "./flights.js";
import type { Claimed, Lease } from "./lease-store.js";
import {
  isStillThere,
  type OutgoingDeps,
  type OutgoingTransaction,
  prepareTransactions,
  readTransaction,
  type Selection,
  storeTransaction,
} from "./outgoing-transaction.js";
import type { DeliveryForm, StoredTransaction } from "./stored-transaction.js";
import { abandonTransactions, countWaiting, forgetTransactions } from "./transaction-store.js";

// What is sent next: first what an earlier delivery left unanswered, then what is prepared, then a delayed transaction that is
// due, then the first messages behind those that were chosen before.

/** Up to this many messages in flight, others for other recipients do not wait for the answer. */
const fewMessages = 32;

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

interface PreparedTransaction extends OutgoingTransaction {
  /** The position that this choice began after. */
  chosenAfter: number;
}

export interface ChoosingDeps extends OutgoingDeps {
  /** What is in flight, whose recipients wait. */
  flights: Flights;
  config: OutgoingDeps["config"] & Pick<OutboxSettings, "outboxTransactionsInFlight">;
}

/** Chooses the transactions of one delivery, and owns those that are stored and not in flight. */
export class Choosing {
  private readonly lease: Lease & { domain: Domain };
  private readonly flights: Flights;
  private readonly deps: ChoosingDeps;
  /** Whether there may be new messages since this was last looked at. */
  private hasNewMessages = false;
  /** Stored transactions to send again, one at a time and in order, before any is chosen. */
  private unanswered: StoredTransaction[];
  /** No two of them have a recipient in common. */
  private prepared: PreparedTransaction[] = [];
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

  constructor(lease: Lease & { domain: Domain }, claimed: Claimed, deps: ChoosingDeps) {
    this.lease = lease;
    this.flights = deps.flights;
    this.deps = deps;
    this.unanswered = claimed.transactions;
    for (const transaction of claimed.transactions) this.noteDoubt(transaction);
    this.delayedUntil = claimed.delayedUntil;
    this.held = claimed.held;
    this.passBegan = deps.clock.nowMillis();
  }

  async next(terms: Terms): Promise<OutgoingTransaction | undefined> {
    if (this.unanswered.length > 0) return this.flights.isEmpty() ? this.resume(terms) : undefined;
    if (this.prepared.length > 0) return this.takePrepared();
    if (this.draining && !(await this.isDrained())) return undefined;
    if (terms.failing) return (await this.nextChosen(terms)) ?? this.nextDelayed(terms);
    if (this.isDelayedDue() && !this.flights.isEmpty()) return undefined;
    return (await this.nextDelayed(terms)) ?? this.nextChosen(terms);
  }

  /** There may be new messages. */
  messagesArrived(): void {
    this.hasNewMessages = true;
  }

  /** A transaction was answered, so its recipients are free again. */
  noteAnswered(): void {
    if (this.behind === "busy") this.behind = "unknown";
  }

  /** Whether the last look found no message behind those that were chosen. */
  isAtTheEnd(): boolean {
    return this.behind === "nothing";
  }

  /** Whether there may be messages behind those that were chosen, or new ones. */
  mayHaveMore(): boolean {
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

  /** Recipients were put on hold, so another pass may find messages that this one leaves out. */
  noteHeld(): void {
    this.held = true;
  }

  hasHeld(): boolean {
    return this.held;
  }

  hasDelayed(): boolean {
    return this.delayedUntil !== null;
  }

  /** A transaction is delayed: its messages are chosen no more. Its stored form says whether they may be known by their tags. */
  noteDelayed({ positions }: StoredTransaction, dueMillis: number): void {
    this.forgetDoubt(positions);
    this.noteHeld();
    this.delayedUntil = Math.min(this.delayedUntil ?? dueMillis, dueMillis);
  }

  /** Delayed transactions are due at this time, in Unix milliseconds. */
  noteHastened(nowMillis: number): void {
    this.delayedUntil = nowMillis;
  }

  /** An attempt to send the transaction may have arrived without an answer. */
  noteDoubt({ form, positions }: Pick<StoredTransaction, "form" | "positions">): void {
    if (form.tags) for (const position of positions) this.doubtful.add(position);
  }

  /** The peer has answered about these messages, or they are chosen no more. */
  forgetDoubt(positions: readonly number[]): void {
    for (const position of positions) this.doubtful.delete(position);
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

  /** Frees the memory of what is prepared. It stays stored. */
  freePrepared(): void {
    for (const { reservation } of this.prepared) reservation.free();
    this.prepared = [];
  }

  /** Whether everything in flight has been answered, and what was delivered is gone. */
  private async isDrained(): Promise<boolean> {
    if (!this.flights.isEmpty()) return false;
    await this.flights.settled();
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
    if (this.flights.count() >= this.deps.config.outboxTransactionsInFlight) return undefined;
    const busy = new Set(this.flights.recipients());
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
    if (!this.isDelayedDue() || !this.flights.isEmpty()) return undefined;
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
    if (this.flights.isEmpty()) return this.choose(terms);
    if (terms.alone) return undefined;
    const isRoom =
      this.flights.count() < this.deps.config.outboxTransactionsInFlight && this.flights.countMessages() <= fewMessages;
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
    if (this.after === 0) await this.flights.settled();
    const busy = this.flights.recipients();
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
