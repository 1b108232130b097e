import type { Clock } from "../../node/clock.js";
import type { Random } from "../../platform/random.js";
import { type BackoffConfig, backoffMillis, repeatMillis } from "./backoff.js";
import type { DelayedTransaction } from "./delayed-transactions-store.js";
import type { OutgoingTransaction } from "./outgoing-transaction.js";
import { plainForm } from "./plain-form.js";
import type { OpenItem } from "./response.js";
import { countAnswer, type StoredTransaction } from "./stored-transaction.js";

// Messages that an answer leaves open are sent again apart from others, so that they delay no other recipient:
//
//   an answer that cannot be read       the same transaction: the peer may know it, and need not process it again
//   messages without a usable result    in another transaction
//   a message that was refused alone    alone, under another id; with its tag at first if the peer may know that

/**
 * A message that the peer may know by its tag is sent without after this many refusals in a row. With the usual backoff they take
 * about a minute: something before the peer can refuse everything for some seconds.
 */
const maxTaggedRefusals = 8;

interface DelayDeps {
  clock: Clock;
  random: Pick<Random, "uuid" | "fraction">;
  config: BackoffConfig;
}

/** The peer may have stored the messages. */
export function delayUnreadable(outgoing: OutgoingTransaction, problem: string, deps: DelayDeps): DelayedTransaction {
  const items = countAnswers(outgoing, problem);
  return delay(outgoing.transaction, { items, problem, waitMillis: repeatMillis(maxAsked(items), deps) }, deps);
}

/** The receipt leaves these messages of the transaction open. */
export function delayOpen(
  transaction: StoredTransaction,
  items: readonly OpenItem[],
  deps: DelayDeps,
): DelayedTransaction {
  const problem = items[0]?.answer ?? "";
  const waitMillis = repeatMillis(maxAsked(items), deps);
  return delay(successor(transaction, items, deps), { items, problem, waitMillis }, deps);
}

/** The peer has refused the only message of the transaction. */
export function delayRefused(outgoing: OutgoingTransaction, problem: string, deps: DelayDeps): DelayedTransaction {
  const items = countAnswers(outgoing, problem);
  const waitMillis = backoffMillis(maxAsked(items), {}, deps);
  return delay(successor(outgoing.transaction, items, deps), { items, problem, waitMillis }, deps);
}

/** The peer has refused the only message of the transaction with its tag, by which it may know this or other messages. */
export function delayTagged(
  { transaction, items: [item] }: OutgoingTransaction,
  { problem, isDoubtful }: { problem: string; isDoubtful: boolean },
  deps: DelayDeps,
): DelayedTransaction {
  if (item === undefined) throw new Error("a refused transaction has no message");
  const before = transaction.delayed?.answers[item.position];
  // Refusals count together, however they are worded.
  const times = before?.answer.startsWith("refused ") ? before.times + 1 : 1;
  const asked = (before?.asked ?? 0) + 1;
  const items = [{ ...item, answer: problem, times, asked }];
  const tags = isDoubtful && times < maxTaggedRefusals;
  const waitMillis = backoffMillis(times, {}, deps);
  const next = successor({ ...transaction, form: { ...plainForm, tags } }, items, deps);
  return delay(next, { items, problem, waitMillis }, deps);
}

/** The same answer to every message. */
function countAnswers({ transaction, items }: OutgoingTransaction, answer: string): OpenItem[] {
  return items.map((item) => ({ ...item, ...countAnswer(transaction.delayed?.answers, item.position, answer) }));
}

function maxAsked(items: readonly OpenItem[]): number {
  return Math.max(...items.map(({ asked }) => asked));
}

/** Another transaction with some of the messages. */
function successor(
  { form, delayed }: StoredTransaction,
  items: readonly OpenItem[],
  { random, clock }: DelayDeps,
): StoredTransaction {
  const positions = items.map(({ position }) => position);
  return { id: random.uuid(), at: clock.nowSeconds(), positions, form, delayed };
}

function delay(
  transaction: StoredTransaction,
  { items, problem, waitMillis }: { items: readonly OpenItem[]; problem: string; waitMillis: number },
  { clock }: DelayDeps,
): DelayedTransaction {
  const since = transaction.delayed?.since ?? clock.nowSeconds();
  const answers = Object.fromEntries(
    items.map(({ position, answer, times, asked }) => [position, { answer, times, asked }]),
  );
  const recipients = [...new Set(items.map(({ recipient }) => recipient))].sort();
  return { transaction: { ...transaction, delayed: { since, answers } }, recipients, problem, waitMillis };
}
