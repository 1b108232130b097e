import type { ResponseOutcome } from "./response.js";
import type { OutgoingTransaction } from "./transaction.js";
import type { WakeUp } from "./wake-up.js";

/**
 * The transactions of a lease run that have been sent, until their outcomes are taken: an outcome may postpone messages, which
 * no later message to their recipients may overtake.
 */
export interface InFlight {
  /** Sends a transaction. Its memory is freed when it has been answered. */
  send(outgoing: OutgoingTransaction, deliver: () => Promise<ResponseOutcome | undefined>): void;
  count(): number;
  messages(): number;
  /** The recipients of messages in flight: others for them must wait. */
  recipients(): string[];
  conflictsWith(outgoing: OutgoingTransaction): boolean;
  /** Takes the oldest outcome. Throws if a delivery or a statement broke off. */
  takeAnswer(): SentTransaction | undefined;
  /** Runs the statement that settles an answered transaction, without waiting for it. */
  settle(work: Promise<void>): void;
  /** Resolves when everything that is settled has been written. Throws if a statement broke off. */
  settled(): Promise<void>;
  /** Resolves when every transaction has an outcome, and nothing is being settled any more. Never throws. */
  ended(): Promise<void>;
}

/** A transaction that has been answered or given up. The outcome is undefined if it was never sent. */
export interface SentTransaction {
  outgoing: OutgoingTransaction;
  outcome: ResponseOutcome | undefined;
}

interface Flight {
  outgoing: OutgoingTransaction;
  recipients: ReadonlySet<string>;
  done: Promise<void>;
}

export function createInFlight(wakeUp: Pick<WakeUp, "wake">): InFlight {
  const flights = new Set<Flight>();
  const settling = new Set<Promise<void>>();
  const answers: { flight: Flight; outcome: ResponseOutcome | undefined }[] = [];
  let broken: { error: unknown } | undefined;

  const breakOff = (error: unknown): void => {
    broken ??= { error };
  };
  const throwIfBroken = (): void => {
    if (broken !== undefined) throw broken.error;
  };

  return {
    send(outgoing, deliver) {
      const recipients = new Set(outgoing.items.map(({ recipient }) => recipient));
      const flight: Flight = { outgoing, recipients, done: Promise.resolve() };
      flights.add(flight);
      flight.done = deliver()
        .then((outcome) => void answers.push({ flight, outcome }), breakOff)
        .finally(() => {
          outgoing.room.free();
          wakeUp.wake();
        });
    },
    count: () => flights.size,
    messages: () => sum(flights, ({ outgoing }) => outgoing.items.length),
    recipients: () => [...flights].flatMap(({ recipients }) => [...recipients]),
    conflictsWith: ({ items }) =>
      [...flights].some(({ recipients }) => items.some(({ recipient }) => recipients.has(recipient))),
    takeAnswer() {
      throwIfBroken();
      const answer = answers.shift();
      if (answer === undefined) return undefined;
      flights.delete(answer.flight);
      return { outgoing: answer.flight.outgoing, outcome: answer.outcome };
    },
    settle(work) {
      const settled: Promise<void> = work.catch(breakOff).finally(() => {
        settling.delete(settled);
        if (broken !== undefined) wakeUp.wake();
      });
      settling.add(settled);
    },
    async settled() {
      await Promise.all(settling);
      throwIfBroken();
    },
    async ended() {
      await Promise.all([...flights].map(({ done }) => done));
      await Promise.all(settling);
    },
  };
}

function sum<T>(items: Iterable<T>, of: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}
