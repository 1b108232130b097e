import type { Room } from "./in-flight.js";
import { backoffMillis } from "./sending-backoff.js";
import { putOff } from "./sending-holds.js";
import { type Parcel, packNext } from "./sending-parcel.js";
import { endHolds } from "./sending-store.js";
import {
  choiceAfter,
  dropNext,
  lastOf,
  releaseAt,
  type SendingLimits,
  type SendingNeeds,
  type Step,
  type Turn,
} from "./sending-turn.js";
import type { Answered, SentItem } from "./sending-verdict.js";
import { measureWaiting, type Settlement, settleAndAdvance, settleTransaction } from "./shipment-store.js";

/** What was read longer ago is looked at again before it is sent: it may have expired, or been purged. */
const freshMillis = 100;

/** Writes down what an answer comes to. What follows is sent at once where it is still the right one. */
export async function settle(
  turn: Turn,
  { verdict, items }: { verdict: Answered; items: readonly SentItem[] },
  needs: SendingNeeds,
): Promise<Step> {
  const { clock, limits } = needs;
  const { accepted } = verdict;
  const nothingTaken = accepted.length === 0 && verdict.overloaded;
  turn.failures = nothingTaken ? turn.failures + 1 : 0;
  turn.transactionLimit = verdict.unclear.length > 0 ? 1 : grown(turn.transactionLimit, limits);
  turn.instantRetries = 0;
  turn.newlyReached = turn.unreached;
  turn.after = verdict.unclear.length > 0 ? 0 : Math.max(turn.after, lastOf(items));
  if (turn.next !== undefined && (await mayFollow(turn, { verdict, next: turn.next }, needs))) {
    turn.ahead = advance(turn, { verdict, next: turn.next }, needs);
    turn.ahead.catch(() => undefined);
    return "on";
  }
  dropNext(turn);
  turn.pending = [];
  countGone(await settleTransaction(needs.lanes, settlement(turn, verdict, needs)), verdict, needs.metrics);
  if (turn.held && accepted.length > 0) await endHoldsOf(turn, accepted, needs);
  if (verdict.putOff.length > 0) await putOff(turn.domain, verdict.putOff, needs);
  turn.held ||= verdict.putOff.length > 0;
  if (!verdict.overloaded) return "on";
  const wait = backoffMillis(Math.max(1, turn.failures), {}, needs);
  await releaseAt(turn, clock.nowMillis() + wait, needs);
  return "over";
}

/** Whether what was stored next is still the right one. */
async function mayFollow(
  turn: Turn,
  { verdict, next }: { verdict: Answered; next: Parcel },
  { lanes, clock }: SendingNeeds,
): Promise<boolean> {
  const { putOff: waiting, unclear, overloaded } = verdict;
  if (turn.held || waiting.length > 0 || unclear.length > 0 || overloaded) return false;
  if (clock.nowMillis() - next.readAtMillis < freshMillis) return true;
  const { positions } = next.transaction;
  const { count } = await measureWaiting(lanes, { domain: turn.domain, positions, now: clock.nowSeconds() });
  return count === positions.length;
}

/** Removes what is done with, and stores what is to follow the next transaction, which is on its way by now. */
function advance(
  turn: Turn,
  { verdict, next }: { verdict: Answered; next: Parcel },
  needs: SendingNeeds,
): Promise<Parcel | undefined> {
  const settled = settlement(turn, verdict, needs);
  const choice = choiceAfter(turn, lastOf(next.items), needs);
  const begin = async (room: Room | undefined) => {
    const { gone, begun } = await settleAndAdvance(needs.lanes, {
      settled,
      choice: { ...choice, room: room?.bytes() ?? 0 },
    });
    countGone(gone, verdict, needs.metrics);
    return begun;
  };
  return packNext(turn.domain, begin, needs);
}

function settlement(turn: Turn, { accepted, refused }: Answered, { clock }: SendingNeeds): Settlement {
  const { domain, leaseId, failures, transactionLimit } = turn;
  const positions = [...accepted, ...refused].map(({ position }) => position);
  return { domain, leaseId, positions, now: clock.nowSeconds(), failures, transactionLimit };
}

/** Their queues have room again. */
async function endHoldsOf(turn: Turn, accepted: readonly SentItem[], { db }: SendingNeeds): Promise<void> {
  const recipients = [...new Set(accepted.map(({ recipient }) => recipient))];
  await endHolds(db, { domain: turn.domain, recipients });
}

function countGone(gone: readonly number[], { accepted }: Answered, metrics: SendingNeeds["metrics"]): void {
  const left = new Set(gone);
  const sent = accepted.filter(({ position }) => left.has(position)).length;
  if (sent > 0) metrics.count("federated_messages_sent", sent);
  if (gone.length > sent) metrics.count("federated_deliveries_failed", gone.length - sent);
}

/** After a halved transaction has passed, the next may be half as large again, up to the usual size. */
function grown(limit: number | null, { outboxTransactionMessages: most }: SendingLimits): number | null {
  if (limit === null) return null;
  const next = Math.ceil(limit * 1.5);
  return next >= most ? null : next;
}
