import { backoffMillis, deferRecipients } from "./backoff.js";
import { delayOpen, delayRefused, delayUnreadable, hasten } from "./delay.js";
import { plainForm } from "./delivery-form.js";
import type { SentTransaction } from "./in-flight.js";
import { endHolds } from "./lease-store.js";
import type { Answered, FailedAttempt, NotAnswered, SentItem } from "./response.js";
import {
  abandon,
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

// What follows from the outcome of a transaction. Where every message was accepted or rejected for good, the rows are deleted
// while the next transactions are on their way. Any other outcome changes which messages come next, so it is acted on once
// nothing is in flight.

const maxInstantRetries = 2;
/** If more messages in a row are refused alone, the destination refuses everything, and waits as a whole. */
const maxRefusedAlone = 8;

/** Takes the outcome of one transaction. */
export async function takeOutcome(
  run: LeaseRun,
  { outcome: given, outgoing }: SentTransaction,
  deps: DeliveryDeps,
): Promise<Step> {
  if (given === undefined || deps.abandoned()) return "over";
  // If a new token has changed nothing, the answer counts by its status.
  const otherwise = given.kind === "unauthorized" && run.setbacks > 0 ? given.otherwise : null;
  const outcome = otherwise ?? given;
  if (run.behind === "busy") run.behind = "unknown";
  if (outcome.kind !== "answered") {
    deps.metrics.count("federated_transactions_failed");
    await run.inFlight.ended();
    return deps.abandoned() ? "over" : notAnswered(run, { outcome, outgoing }, deps);
  }
  if (run.failures > 0 && outcome.accepted.length > 0) await hasten(run, deps);
  noteAnswer(run, outcome);
  if (outgoing.transaction.delayed === null && isSettled(outcome)) {
    run.inFlight.settle(settle(run, { outcome, outgoing }, deps));
    return "on";
  }
  await run.inFlight.ended();
  return deps.abandoned() ? "over" : postpone(run, { outcome, outgoing }, deps);
}

/** Whether every message was accepted or rejected for good. */
function isSettled({ deferred, unclear, open, overloaded }: Answered): boolean {
  return deferred.length === 0 && unclear.length === 0 && open.length === 0 && !overloaded;
}

function noteAnswer(run: LeaseRun, { accepted, unclear, overloaded }: Answered): void {
  run.failures = accepted.length === 0 && overloaded ? run.failures + 1 : 0;
  run.transactionLimit = unclear.length > 0 ? 1 : grow(run);
  run.setbacks = 0;
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
  const { accepted, rejected } = outcome;
  const settlement: Settlement = {
    ...{ domain, leaseId, failures, transactionLimit },
    leaseSeconds: deps.config.outboxLeaseSeconds,
    transactionId: outgoing.transaction.id,
    positions: [...accepted, ...rejected].map(({ position }) => position),
    now: deps.clock.nowSeconds(),
  };
  noteRemoved(await settleTransaction(deps.pipelined, settlement), { domain, outcome }, deps);
  if (run.held && accepted.length > 0) await endHoldsOf(run, accepted, deps);
}

/** The queues of recipients who accepted a message have room again. */
async function endHoldsOf(run: LeaseRun, accepted: readonly SentItem[], { db }: DeliveryDeps): Promise<void> {
  const recipients = [...new Set(accepted.map(({ recipient }) => recipient))];
  await endHolds(db, { domain: run.domain, recipients });
}

/** Counts and logs how messages ended: those that this statement removed, as another node may have removed the others. */
function noteRemoved(
  removed: readonly number[],
  { domain, outcome }: { domain: string; outcome: Answered },
  { metrics, logger }: DeliveryDeps,
): void {
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

/** Settles a transaction of which some messages are to be sent again. What is stored behind it may be for the same recipients. */
async function postpone(run: LeaseRun, answered: AnsweredTransaction, deps: DeliveryDeps): Promise<Step> {
  const { deferred, unclear, open, overloaded } = answered.outcome;
  const { transaction } = answered.outgoing;
  await dropBehind(run, deps);
  await settle(run, answered, deps);
  // The recipients of a delayed transaction are free again.
  if (unclear.length > 0 || transaction.delayed !== null) lookAgain(run);
  if (deferred.length > 0) await deferRecipients(run.domain, deferred, deps);
  run.held ||= deferred.length > 0;
  const step = open.length > 0 ? await delayOpen(run, { transaction, items: open }, deps) : "on";
  if (!overloaded || step === "over") return step;
  const wait = backoffMillis(Math.max(1, run.failures), {}, deps);
  return releaseAt(run, deps.clock.nowMillis() + wait, deps);
}

async function dropBehind(run: LeaseRun, deps: DeliveryDeps): Promise<void> {
  if (run.pending.length > 0) await abandonStored(run, deps);
  else await dropNext(run, deps);
}

async function notAnswered(
  run: LeaseRun,
  { outcome, outgoing }: { outcome: NotAnswered; outgoing: OutgoingTransaction },
  deps: DeliveryDeps,
): Promise<Step> {
  switch (outcome.kind) {
    case "failed":
      return failAttempt(run, { outcome, outgoing }, deps);
    case "refused":
      return takeRefusal(run, { outgoing, problem: outcome.problem }, deps);
    case "unreadable": {
      const step = await delayUnreadable(run, { outgoing, problem: outcome.problem }, deps);
      if (step === "on") await dropBehind(run, deps);
      return step;
    }
    case "conflict":
      await abandon(run, outgoing.transaction, deps);
      break;
    case "unauthorized":
      sendAgain(run, outgoing);
  }
  // Several that were in flight together count once.
  if (run.inFlight.count() === 0) run.setbacks += 1;
  if (run.setbacks <= maxInstantRetries) return "on";
  return fail(run, { problem: outcome.kind, retryAfterSeconds: null }, deps);
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
    await abandon(run, outgoing.transaction, deps);
  }
  return fail(run, outcome, deps);
}

interface FailedTransaction {
  outcome: FailedAttempt;
  outgoing: OutgoingTransaction;
}

/**
 * A transaction was refused as a whole, which ends no message. What the specification does not name is left out first; then the
 * transaction is halved until the message at fault stands alone and is delayed, so that others pass.
 */
async function takeRefusal(
  run: LeaseRun,
  refused: { outgoing: OutgoingTransaction; problem: string },
  deps: DeliveryDeps,
): Promise<Step> {
  const { transaction, items, extended } = refused.outgoing;
  if (extended) run.form = plainForm;
  else if (items.length > 1) run.transactionLimit = Math.ceil(items.length / 2);
  await abandon(run, transaction, deps);
  if (extended || items.length > 1) return "on";
  if (transaction.delayed === null) run.setbacks += 1;
  const step = await delayRefused(run, refused, deps);
  if (step === "over" || (run.failures === 0 && run.setbacks <= maxRefusedAlone)) return step;
  return fail(run, { problem: refused.problem, retryAfterSeconds: null }, deps);
}
