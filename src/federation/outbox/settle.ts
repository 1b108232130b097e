import type { ByteReservation } from "../../platform/concurrency/byte-semaphore.js";
import { backoffMillis, putOff } from "./backoff.js";
import {
  choiceAfter,
  dropNext,
  type LeaseRun,
  lastOf,
  releaseAt,
  type SendingConfig,
  type SendingDeps,
  type Step,
} from "./lease-run.js";
import { endHolds } from "./lease-store.js";
import type { Answered, SentItem } from "./response.js";
import { type OutgoingTransaction, packNext } from "./transaction.js";
import { measureWaiting, type Settlement, settleAndAdvance, settleTransaction } from "./transaction-store.js";

/** What was read longer ago is looked at again before it is sent: it may have expired, or been purged. */
const freshMillis = 100;

/** Writes down what an answer comes to. What follows is sent at once where it is still the right one. */
export async function settle(
  run: LeaseRun,
  { outcome, items }: { outcome: Answered; items: readonly SentItem[] },
  deps: SendingDeps,
): Promise<Step> {
  const { clock, config } = deps;
  const { accepted } = outcome;
  const nothingTaken = accepted.length === 0 && outcome.overloaded;
  run.failures = nothingTaken ? run.failures + 1 : 0;
  run.transactionLimit = outcome.unclear.length > 0 ? 1 : grown(run.transactionLimit, config);
  run.instantRetries = 0;
  run.newlyReached = run.unreached;
  run.after = outcome.unclear.length > 0 ? 0 : Math.max(run.after, lastOf(items));
  if (run.next !== undefined && (await mayFollow(run, { outcome, next: run.next }, deps))) {
    run.ahead = advance(run, { outcome, next: run.next }, deps);
    run.ahead.catch(() => undefined);
    return "on";
  }
  dropNext(run);
  run.pending = [];
  countGone(await settleTransaction(deps.pipelined, settlement(run, outcome, deps)), outcome, deps.metrics);
  if (run.held && accepted.length > 0) await endHoldsOf(run, accepted, deps);
  if (outcome.putOff.length > 0) await putOff(run.domain, outcome.putOff, deps);
  run.held ||= outcome.putOff.length > 0;
  if (!outcome.overloaded) return "on";
  const wait = backoffMillis(Math.max(1, run.failures), {}, deps);
  await releaseAt(run, clock.nowMillis() + wait, deps);
  return "over";
}

/** Whether what was stored next is still the right one. */
async function mayFollow(
  run: LeaseRun,
  { outcome, next }: { outcome: Answered; next: OutgoingTransaction },
  { pipelined, clock }: SendingDeps,
): Promise<boolean> {
  const { putOff: waiting, unclear, overloaded } = outcome;
  if (run.held || waiting.length > 0 || unclear.length > 0 || overloaded) return false;
  if (clock.nowMillis() - next.readAtMillis < freshMillis) return true;
  const { positions } = next.transaction;
  const { count } = await measureWaiting(pipelined, { domain: run.domain, positions, now: clock.nowSeconds() });
  return count === positions.length;
}

/** Removes what is done with, and stores what is to follow the next transaction, which is on its way by now. */
function advance(
  run: LeaseRun,
  { outcome, next }: { outcome: Answered; next: OutgoingTransaction },
  deps: SendingDeps,
): Promise<OutgoingTransaction | undefined> {
  const settled = settlement(run, outcome, deps);
  const choice = choiceAfter(run, lastOf(next.items), deps);
  const begin = async (room: ByteReservation | undefined) => {
    const { gone, begun } = await settleAndAdvance(deps.pipelined, {
      settled,
      choice: { ...choice, room: room?.bytes() ?? 0 },
    });
    countGone(gone, outcome, deps.metrics);
    return begun;
  };
  return packNext(run.domain, begin, deps);
}

function settlement(run: LeaseRun, { accepted, refused }: Answered, { clock }: SendingDeps): Settlement {
  const { domain, leaseId, failures, transactionLimit } = run;
  const positions = [...accepted, ...refused].map(({ position }) => position);
  return { domain, leaseId, positions, now: clock.nowSeconds(), failures, transactionLimit };
}

/** Their queues have room again. */
async function endHoldsOf(run: LeaseRun, accepted: readonly SentItem[], { db }: SendingDeps): Promise<void> {
  const recipients = [...new Set(accepted.map(({ recipient }) => recipient))];
  await endHolds(db, { domain: run.domain, recipients });
}

function countGone(gone: readonly number[], { accepted }: Answered, metrics: SendingDeps["metrics"]): void {
  const left = new Set(gone);
  const sent = accepted.filter(({ position }) => left.has(position)).length;
  if (sent > 0) metrics.count("federated_messages_sent", sent);
  if (gone.length > sent) metrics.count("federated_deliveries_failed", gone.length - sent);
}

/** After a halved transaction has passed, the next may be half as large again, up to the usual size. */
function grown(limit: number | null, { outboxTransactionMessages: most }: SendingConfig): number | null {
  if (limit === null) return null;
  const next = Math.ceil(limit * 1.5);
  return next >= most ? null : next;
}
