import { backoffMillis, repeatMillis } from "./backoff.js";
import { hastenRefused, storeDelayed } from "./delay-store.js";
import type { StoredTransaction } from "./lease-store.js";
import { repeated } from "./repeated-answers.js";
import type { OpenItem } from "./response.js";
import { type DeliveryDeps, fail, type LeaseRun, type Step } from "./run.js";
import type { OutgoingTransaction } from "./transaction.js";

// Messages that an answer leaves open are sent again apart from others, so that they delay no other recipient:
//
//   an answer that cannot be read       the same transaction: the peer may know it, and need not process it again
//   messages without a usable result    in a transaction of their own
//   a message that was refused alone    alone, under another id

/** Delays a transaction whose messages the peer may have stored. */
export function delayUnreadable(
  run: LeaseRun,
  { outgoing, problem }: { outgoing: OutgoingTransaction; problem: string },
  deps: DeliveryDeps,
): Promise<Step> {
  const { transaction } = outgoing;
  const items = outgoing.items.map((item) => ({
    ...item,
    ...repeated(transaction.delayed?.answers, item.position, problem),
  }));
  return delay(run, { transaction, items, problem, waitMillis: repeatMillis(mostAsked(items), deps) }, deps);
}

/** Delays the messages of a transaction that its receipt leaves open. The transaction has ended. */
export function delayOpen(
  run: LeaseRun,
  { transaction, items }: { transaction: StoredTransaction; items: readonly OpenItem[] },
  deps: DeliveryDeps,
): Promise<Step> {
  const problem = items[0]?.answer ?? "";
  const waitMillis = repeatMillis(mostAsked(items), deps);
  return delay(run, { transaction: successor(transaction, items, deps), items, problem, waitMillis }, deps);
}

/** Delays a message that was refused alone. Its transaction is forgotten. */
export function delayRefused(
  run: LeaseRun,
  { outgoing, problem }: { outgoing: OutgoingTransaction; problem: string },
  deps: DeliveryDeps,
): Promise<Step> {
  const before = outgoing.transaction.delayed?.answers;
  const items = outgoing.items.map((item) => ({ ...item, ...repeated(before, item.position, problem) }));
  const waitMillis = backoffMillis(mostAsked(items), {}, deps);
  const transaction = successor(outgoing.transaction, items, deps);
  return delay(run, { transaction, items, problem, waitMillis }, deps);
}

/** A destination that refused everything has accepted something, so what it refused is sent again now. */
export async function hasten(run: LeaseRun, { db, clock }: DeliveryDeps): Promise<void> {
  if (run.delayedUntil === null) return;
  const { domain, leaseId } = run;
  run.delayedUntil = clock.nowMillis();
  await hastenRefused(db, { domain, leaseId, nowMillis: run.delayedUntil });
}

function mostAsked(items: readonly OpenItem[]): number {
  return Math.max(...items.map(({ asked }) => asked));
}

/** Another transaction with some of the messages. */
function successor(
  { form, delayed }: StoredTransaction,
  items: readonly OpenItem[],
  { random, clock }: DeliveryDeps,
): StoredTransaction {
  const positions = items.map(({ position }) => position);
  return { id: random.uuid(), at: clock.nowSeconds(), positions, form, delayed };
}

/** The destination waits as a whole if no further transaction can be delayed. */
async function delay(
  run: LeaseRun,
  delayed: { transaction: StoredTransaction; items: readonly OpenItem[]; problem: string; waitMillis: number },
  deps: DeliveryDeps,
): Promise<Step> {
  const { transaction, items, problem, waitMillis } = delayed;
  const { domain, leaseId } = run;
  const dueMillis = deps.clock.nowMillis() + waitMillis;
  const since = transaction.delayed?.since ?? deps.clock.nowSeconds();
  const answers = Object.fromEntries(
    items.map(({ position, answer, times, asked }) => [position, { answer, times, asked }]),
  );
  const isStored = await storeDelayed(deps.db, {
    ...{ domain, leaseId, dueMillis, problem },
    transaction: { ...transaction, delayed: { since, answers } },
    recipients: items.map(({ recipient }) => recipient),
  });
  if (!isStored) return fail(run, { problem, retryAfterSeconds: Math.ceil(waitMillis / 1000) }, deps);
  deps.logger.info({ domain, messages: items.length, problem }, "messages for another server are sent again later");
  run.held = true;
  run.delayedUntil = Math.min(run.delayedUntil ?? dueMillis, dueMillis);
  return "on";
}
