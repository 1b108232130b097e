import { createWakeUp } from "../../platform/concurrency/wake-up.js";
import type { Domain } from "../../protocol/address.js";
import type { PeerCalls } from "../peers/types.js";
import type { OutgoingDeps, OutgoingTransaction } from "./outgoing-transaction.js";
import { parseFailure, parseResponse, type ResponseOutcome } from "./response.js";
import type { StoredTransaction } from "./stored-transaction.js";

/** A transaction that has been answered or given up. The outcome is undefined if it was never sent. */
export interface SentTransaction {
  outgoing: OutgoingTransaction;
  outcome: ResponseOutcome | undefined;
}

export interface FlightsDeps extends Pick<OutgoingDeps, "clock" | "abandoned"> {
  calls: Pick<PeerCalls, "deliver">;
}

/** Told of a transaction that had to be sent twice: the peer may have taken the first copy. */
type NoteRepeated = (transaction: StoredTransaction) => void;

interface Flight {
  outgoing: OutgoingTransaction;
  recipients: ReadonlySet<string>;
  done: Promise<void>;
}

/**
 * The transactions of one delivery that are in flight, and what is still being written about those that were answered. A
 * transaction enters by `send`; it leaves by `takeAnswered`, with its outcome.
 */
export class Flights {
  private readonly domain: Domain;
  private readonly noteRepeated: NoteRepeated;
  private readonly deps: FlightsDeps;
  private readonly flights = new Set<Flight>();
  private readonly outcomes: { flight: Flight; outcome: ResponseOutcome | undefined }[] = [];
  /** The statements that settle answered transactions. */
  private readonly settling = new Set<Promise<void>>();
  /** The first error of a transaction or statement that ran in the background. */
  private broken: { error: unknown } | undefined;
  private readonly wakeUp = createWakeUp();

  constructor(domain: Domain, noteRepeated: NoteRepeated, deps: FlightsDeps) {
    this.domain = domain;
    this.noteRepeated = noteRepeated;
    this.deps = deps;
  }

  isEmpty(): boolean {
    return this.flights.size === 0;
  }

  count(): number {
    return this.flights.size;
  }

  countMessages(): number {
    return [...this.flights].reduce((sum, { outgoing }) => sum + outgoing.items.length, 0);
  }

  /** The recipients of all messages in flight, whose next messages wait. */
  recipients(): string[] {
    return [...this.flights].flatMap(({ recipients }) => [...recipients]);
  }

  send(outgoing: OutgoingTransaction): void {
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

  /** The oldest outcome. Throws if a transaction or a statement broke off. */
  takeAnswered(): SentTransaction | undefined {
    this.throwIfBroken();
    const oldest = this.outcomes.shift();
    if (oldest === undefined) return undefined;
    this.flights.delete(oldest.flight);
    return { outgoing: oldest.flight.outgoing, outcome: oldest.outcome };
  }

  /** Runs beside other transactions what writes the outcome of one. */
  settleInBackground(settle: Promise<void>): void {
    const settled: Promise<void> = settle
      .catch((error: unknown) => this.breakOff(error))
      .finally(() => {
        this.settling.delete(settled);
        if (this.broken !== undefined) this.wakeUp.wake();
      });
    this.settling.add(settled);
  }

  /** Resolves when everything that is settled has been written. Throws if a statement broke off. */
  async settled(): Promise<void> {
    await Promise.all(this.settling);
    this.throwIfBroken();
  }

  /** Resolves when every transaction has an outcome, and nothing is being settled any more. Never throws. */
  async ended(): Promise<void> {
    await Promise.all([...this.flights].map(({ done }) => done));
    await Promise.all(this.settling);
  }

  /** Resolves after an outcome, `wake`, or the time. */
  async wait(millis?: number): Promise<void> {
    await this.wakeUp.wait(millis);
  }

  /** Ends a wait early. */
  wake(): void {
    this.wakeUp.wake();
  }

  /** Undefined if the delivery was abandoned before anything was sent. */
  private async deliver({ transaction, items, body }: OutgoingTransaction): Promise<ResponseOutcome | undefined> {
    const { abandoned, calls, clock } = this.deps;
    if (abandoned()) return undefined;
    try {
      const answer = await calls.deliver(this.domain, transaction.id, body);
      if (answer.repeated === true) this.noteRepeated(transaction);
      return parseResponse(answer, { transaction, items, nowMillis: clock.nowMillis() });
    } catch (error) {
      return parseFailure(error);
    }
  }

  private breakOff(error: unknown): void {
    this.broken ??= { error };
  }

  private throwIfBroken(): void {
    if (this.broken !== undefined) throw this.broken.error;
  }
}
