import { backoffMillis, deferRecipients } from "./backoff.js";
import type { SentTransaction } from "./in-flight.js";
import { endHolds } from "./lease-store.js";
import type { Answered, FailedAttempt, NotAnswered, SentItem } from "./response.js";
import {
  abandonStored,
  type DeliveryDeps,
  dropNext,
  fail,
  type LeaseRun,
  lookAgain,
  releaseAt,
  type Step,
} from "./run.js";
import type { OutgoingTransaction } from "./transaction.js";
import { type Settlement, settleTransaction } from "./transaction-store.js";

// What follows from the outcome of a transaction. Where every message was accepted or refused for good, the rows are deleted
// while the next transactions are on their way. Any other outcome changes which messages come next, so it is acted on once
// nothing is in flight.

const mostInstantRetries = 2;

/** Takes the outcome of one transaction. */
export async function takeOutcome(
  run: LeaseRun,
  { outcome, outgoing }: SentTransaction,
  deps: DeliveryDeps,
): Promise<Step> {
  if (outcome === undefined || deps.abandoned()) return "over";
  if (run.behind === "busy") run.behind = "unknown";
  if (outcome.kind !== "answered") deps.metrics.count("federated_transactions_failed");
  else noteAnswer(run, outcome);
  if (outcome.kind === "answered" && isPlain(outcome)) {
    run.inFlight.settle(settle(run, { outcome, outgoing }, deps));
    return "on";
  }
  await run.inFlight.ended();
  if (deps.abandoned()) return "over";
  if (outcome.kind === "answered") return postpone(run, { outcome, outgoing }, deps);
  return notAnswered(run, { outcome, outgoing }, deps);
}

/** Whether every message was accepted or refused for good. */
function isPlain({ deferred, unclear, overloaded }: Answered): boolean {
  return deferred.length === 0 && unclear.length === 0 && !overloaded;
}

function noteAnswer(run: LeaseRun, { accepted, unclear, overloaded }: Answered): void {
  run.failures = accepted.length === 0 && overloaded ? run.failures + 1 : 0;
  run.transactionLimit = unclear.length > 0 ? 1 : grow(run);
  run.instantRetries = 0;
  run.newlyReached = run.unreached;
}

/** Once a halved transaction has passed, the next may be half as large again, up to the usual size. */
function grow({ transactionLimit: limit, usualMessages }: LeaseRun): number | null {
  if (limit === null) return null;
  const next = Math.ceil(limit * 1.5);
  return next >= usualMessages ? null : next;
}

interface AnsweredTransaction {
  outcome: Answered;
  outgoing: OutgoingTransaction;
}

async function settle(run: LeaseRun, { outcome, outgoing }: AnsweredTransaction, deps: DeliveryDeps): Promise<void> {
  const { domain, leaseId, failures, transactionLimit } = run;
  const { accepted, refused } = outcome;
  const settlement: Settlement = {
    ...{ domain, leaseId, failures, transactionLimit },
    leaseSeconds: deps.config.outboxLeaseSeconds,
    transactionId: outgoing.transaction.id,
    positions: [...accepted, ...refused].map(({ position }) => position),
    now: deps.clock.nowSeconds(),
  };
  countRemoved(await settleTransaction(deps.pipelined, settlement), outcome, deps.metrics);
  if (run.held && accepted.length > 0) await endHoldsOf(run, accepted, deps);
}

/** The queues of recipients who accepted a message have room again. */
async function endHoldsOf(run: LeaseRun, accepted: readonly SentItem[], { db }: DeliveryDeps): Promise<void> {
  const recipients = [...new Set(accepted.map(({ recipient }) => recipient))];
  await endHolds(db, { domain: run.domain, recipients });
}

function countRemoved(removed: readonly number[], { accepted }: Answered, metrics: DeliveryDeps["metrics"]): void {
  const positions = new Set(removed);
  const sent = accepted.filter(({ position }) => positions.has(position)).length;
  if (sent > 0) metrics.count("federated_messages_sent", sent);
  if (removed.length > sent) metrics.count("federated_deliveries_failed", removed.length - sent);
}

/** Settles a transaction of which some messages are to be sent again. What is stored behind it may be for the same recipients. */
async function postpone(run: LeaseRun, answered: AnsweredTransaction, deps: DeliveryDeps): Promise<Step> {
  const { deferred, unclear, overloaded } = answered.outcome;
  if (run.pending.length > 0) await abandonStored(run, deps);
  else await dropNext(run, deps);
  await settle(run, answered, deps);
  if (unclear.length > 0) lookAgain(run);
  if (deferred.length > 0) await deferRecipients(run.domain, deferred, deps);
  run.held ||= deferred.length > 0;
  if (!overloaded) return "on";
  const wait = backoffMillis(Math.max(1, run.failures), {}, deps);
  return releaseAt(run, deps.clock.nowMillis() + wait, deps);
}

async function notAnswered(
  run: LeaseRun,
  { outcome, outgoing }: { outcome: NotAnswered; outgoing: OutgoingTransaction },
  deps: DeliveryDeps,
): Promise<Step> {
  if (outcome.kind === "failed") return failAttempt(run, { outcome, outgoing }, deps);
  if (outcome.kind === "unacceptable") return changeForm(run, outgoing, deps);
  // Several that were in flight together count once.
  if (run.inFlight.count() === 0) run.instantRetries += 1;
  const tooOften = run.instantRetries > mostInstantRetries;
  if (outcome.kind === "conflict") await abandonStored(run, deps);
  else sendAgain(run, outgoing);
  return tooOften ? fail(run, { problem: outcome.kind, retryAfterSeconds: null }, deps) : "on";
}

function sendAgain({ pending }: LeaseRun, { transaction }: OutgoingTransaction): void {
  pending.push(transaction);
  pending.sort((a, b) => (a.positions[0] ?? 0) - (b.positions[0] ?? 0));
}

/** A transaction beyond the usual size may be more than the peer's limits leave, however long it waits. */
async function failAttempt(run: LeaseRun, { outcome, outgoing }: FailedTransaction, deps: DeliveryDeps): Promise<Step> {
  const { outboxTransactionMessages: usual } = deps.config;
  if (outcome.overLimit && outgoing.items.length > usual) {
    run.transactionLimit = usual;
    await abandonStored(run, deps);
  }
  return fail(run, outcome, deps);
}

interface FailedTransaction {
  outcome: FailedAttempt;
  outgoing: OutgoingTransaction;
}

/** Goes back to the first form of deliveries, as the peer may no longer take what its document said; or halves. */
async function changeForm(run: LeaseRun, outgoing: OutgoingTransaction, deps: DeliveryDeps): Promise<Step> {
  if (!outgoing.shares && !outgoing.body.attached) return split(run, outgoing, deps);
  run.form = { shares: false, attached: false };
  await abandonStored(run, deps);
  return "on";
}

/** Halves a transaction that was refused as a whole. A message that was refused alone is refused for good. */
async function split(run: LeaseRun, outgoing: OutgoingTransaction, deps: DeliveryDeps): Promise<Step> {
  const { items } = outgoing;
  if (items.length > 1) {
    run.transactionLimit = Math.ceil(items.length / 2);
    await abandonStored(run, deps);
    return "on";
  }
  const none = { accepted: [], deferred: [], unclear: [], overloaded: false };
  const outcome: Answered = { kind: "answered", ...none, refused: items };
  noteAnswer(run, outcome);
  await settle(run, { outcome, outgoing }, deps);
  return "on";
}
