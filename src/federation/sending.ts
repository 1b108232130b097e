import type { Knex } from "knex";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../platform/clock.js";
import type { Config } from "../platform/config.js";
import type { Db, Pipeline } from "../platform/database/connection.js";
import type { Random } from "../platform/random.js";
import type { Domain } from "../protocol/address.js";
import { type InFlight, withRoomAtOnce } from "./in-flight.js";
import { type PeerCalls, PeerError } from "./peer-calls.js";
import { backoffMillis } from "./sending-backoff.js";
import { putOff } from "./sending-holds.js";
import { fill, mostBytesAhead, type Parcel, type Picked, packAhead } from "./sending-parcel.js";
import {
  type Claimed,
  endHolds,
  firstHoldEnd,
  type Lease,
  releaseDestination,
  releaseFailed,
  releaseIdle,
  type StoredTransaction,
} from "./sending-store.js";
import { type Answered, judgeAnswer, type NotAnswered, type SentItem, type Verdict } from "./sending-verdict.js";
import {
  abandonTransaction,
  beginTransaction,
  measureWaiting,
  type Settlement,
  settleAndBegin,
  settleTransaction,
} from "./shipment-store.js";

// A turn: what one node does for one destination while it has the lease.
//
//   choose --stored--> sent --answered--> settle --> choose ...            one transaction in flight, in order
//                        |  --no answer, 5xx, 429, 403--> backoff; the transaction keeps id and membership
//                        |  --400, 413--> choose half as many; a message that stands alone is refused for good
//                        |  --401--> sent once more, with a new token
//                        '  --409--> choose again under a new id
//   choose --nothing left--> idle
//
// While a transaction is on its way, the next one is read and encoded, if it would be a full one. Where all messages of
// the first were accepted or refused for good, the second is stored as the first is settled, and sent at once.
//
// Rows go only once the answer is there. Whatever breaks off in between, the next turn, on whichever node, sends the
// stored transaction again, and the peer recognises the transaction by its id or the messages by their tags.

export type SendingLimits = Pick<
  Config,
  | "outboxTransactionMessages"
  | "outboxTransactionBytes"
  | "outboxTurnTransactions"
  | "outboxLeaseSeconds"
  | "outboxMinBackoffSeconds"
  | "outboxMaxBackoffSeconds"
>;

export interface SendingNeeds {
  db: Knex;
  /** For what each transaction asks. */
  lanes: Db | Pipeline;
  clock: Clock;
  random: Pick<Random, "uuid" | "fraction">;
  metrics: Pick<MetricsService, "count">;
  calls: Pick<PeerCalls, "deliver">;
  inFlight: InFlight;
  /** This server's name. */
  domain: Domain;
  limits: SendingLimits;
  /** Why nothing may be sent to a destination at the moment; undefined where it may. */
  obstacle(domain: Domain): string | undefined;
  /** Whether to make room: for a destination that waits, or because the node stops. */
  shouldYield(transactions: number): boolean;
  /** Set once the node has given the turn up: its outcome is nobody's any more. */
  abandoned(): boolean;
}

/** Where a turn stands. */
interface Turn extends Lease {
  domain: Domain;
  failures: number;
  transactionLimit: number | null;
  /** The transaction to send again instead of choosing one. */
  pending: Claimed["transaction"];
  /** Rows up to here are held or sent in this turn. */
  after: number;
  /** Whether there may be recipients that are held. */
  held: boolean;
  /** Refusals of a whole transaction that were answered at once with another attempt. */
  instantRetries: number;
  /** A transaction that is stored and ready to go. */
  next: Parcel | undefined;
}

/** What came of one transaction: go on, or leave the destination. */
type Step = "on" | "over";

const mostInstantRetries = 2;
const fullestWaitMillis = 1000;

/** Delivers to one destination until nothing is left, something fails, or others wait; ends the lease. */
export async function takeTurn(lease: Lease, claimed: Claimed, needs: SendingNeeds): Promise<void> {
  const turn: Turn = {
    ...lease,
    domain: lease.domain as Domain,
    failures: claimed.failures,
    transactionLimit: claimed.transactionLimit,
    pending: claimed.transaction,
    after: 0,
    held: claimed.held,
    instantRetries: 0,
    next: undefined,
  };
  try {
    for (let transactions = 0; !needs.abandoned(); transactions += 1) {
      if (needs.shouldYield(transactions)) return await releaseAt(turn, needs.clock.nowMillis(), needs);
      const obstacle = needs.obstacle(turn.domain);
      if (obstacle !== undefined) return await fail(turn, { problem: obstacle, retryAfterSeconds: null }, needs);
      if ((await takeStep(turn, needs)) === "over") return;
    }
  } finally {
    turn.next?.room.free();
  }
}

async function takeStep(turn: Turn, needs: SendingNeeds): Promise<Step> {
  const { next } = turn;
  turn.next = undefined;
  if (next !== undefined) return send(turn, next, needs);
  const picked = (await resume(turn, needs)) ?? (await choose(turn, needs)) ?? (await startOver(turn, needs));
  return picked === undefined ? rest(turn, needs) : sendPicked(turn, picked, needs);
}

/** The transaction that had no answer, if it still is what it was: other members need another id. */
async function resume(turn: Turn, { db, clock }: SendingNeeds): Promise<Picked | undefined> {
  const { pending, domain } = turn;
  turn.pending = null;
  if (pending === null) return undefined;
  const { positions } = pending;
  const { count, bytes } = await measureWaiting(db, { domain, positions, now: clock.nowSeconds() });
  return count === positions.length ? { ...pending, bytes, messages: undefined } : undefined;
}

/** The messages are read at once, where there is room for them: then one trip less lies before they are sent. */
async function choose(turn: Turn, needs: SendingNeeds): Promise<Picked | undefined> {
  const { lanes, clock, random, limits, inFlight } = needs;
  const { domain, leaseId, after } = turn;
  return withRoomAtOnce(inFlight, mostBytesAhead, async (room) => {
    const chosen = await beginTransaction(lanes, {
      ...{ domain, leaseId, after, nowMillis: clock.nowMillis(), leaseSeconds: limits.outboxLeaseSeconds },
      transactionId: random.uuid(),
      limit: turn.transactionLimit ?? limits.outboxTransactionMessages,
      bytes: limits.outboxTransactionBytes,
      room: room?.bytes() ?? 0,
    });
    if (chosen?.messages === undefined || room === undefined) return { result: chosen, kept: 0 };
    return { result: { ...chosen, room }, kept: chosen.bytes };
  });
}

/** Looks again from the front, where holds may have ended. */
async function startOver(turn: Turn, needs: SendingNeeds): Promise<Picked | undefined> {
  if (turn.after === 0 || !turn.held) return undefined;
  turn.after = 0;
  return choose(turn, needs);
}

/** Nothing may go: either nothing is there, or what is there is held, about to expire, or came in this moment. */
async function rest(turn: Turn, needs: SendingNeeds): Promise<Step> {
  const { db, lanes, clock } = needs;
  if (await releaseIdle(lanes, turn)) return "over";
  const now = clock.nowMillis();
  turn.after = 0;
  const picked = await choose(turn, needs);
  if (picked !== undefined) return sendPicked(turn, picked, needs);
  const holdEnd = await firstHoldEnd(db, turn.domain);
  await releaseAt(turn, Math.max(now + 1, holdEnd ?? now + fullestWaitMillis), needs);
  return "over";
}

async function sendPicked(turn: Turn, picked: Picked, needs: SendingNeeds): Promise<Step> {
  const parcel = await fill(turn.domain, picked, needs);
  if (parcel !== undefined) return send(turn, parcel, needs);
  return needs.abandoned() ? "over" : again(turn, needs);
}

async function send(turn: Turn, parcel: Parcel, needs: SendingNeeds): Promise<Step> {
  const { items, transaction, room } = parcel;
  const [sent, prepared] = await Promise.allSettled([
    deliver(turn, parcel, needs).finally(() => room.free()),
    prepareNext(turn, parcel, needs),
  ]);
  const next = prepared.status === "fulfilled" ? prepared.value : undefined;
  const verdict = sent.status === "fulfilled" ? sent.value : undefined;
  if (verdict?.kind === "answered" && !needs.abandoned()) return settle(turn, { verdict, items, next }, needs);
  next?.room.free();
  if (sent.status === "rejected") throw sent.reason;
  if (verdict === undefined || verdict.kind === "answered" || needs.abandoned()) return "over";
  needs.metrics.count("federated_transactions_failed");
  return notAnswered(turn, { verdict, items, transaction }, needs);
}

/** With recipients that are held, or in transactions of another size than usual, nothing is prepared. */
async function prepareNext(turn: Turn, { items }: Parcel, needs: SendingNeeds): Promise<Parcel | undefined> {
  const isUsual = items.length === needs.limits.outboxTransactionMessages;
  if (turn.held || turn.transactionLimit !== null || !isUsual) return undefined;
  return packAhead(turn.domain, Math.max(turn.after, items.at(-1)?.position ?? 0), needs);
}

/** Undefined where the turn was given up before anything was sent. */
async function deliver(
  turn: Turn,
  { transaction, items, body }: Parcel,
  needs: SendingNeeds,
): Promise<Verdict | undefined> {
  const { clock, calls } = needs;
  if (needs.abandoned()) return undefined;
  try {
    const answer = await calls.deliver(turn.domain, transaction.id, body);
    return judgeAnswer(answer, { id: transaction.id, items, nowMillis: clock.nowMillis() });
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    return { kind: "failed", problem: problemOf(error), retryAfterSeconds: null };
  }
}

function problemOf({ problem, status, error }: PeerError): string {
  return [problem, status, error].filter((part) => part !== undefined).join(" ");
}

/** Begins a new transaction at once. */
async function again(turn: Turn, { db }: SendingNeeds): Promise<Step> {
  await abandonTransaction(db, { ...turn, limit: turn.transactionLimit });
  return "on";
}

async function settle(
  turn: Turn,
  { verdict, items, next }: { verdict: Answered; items: readonly SentItem[]; next: Parcel | undefined },
  needs: SendingNeeds,
): Promise<Step> {
  const { clock, metrics } = needs;
  const { accepted } = verdict;
  const nothingTaken = accepted.length === 0 && verdict.overloaded;
  turn.failures = nothingTaken ? turn.failures + 1 : 0;
  turn.transactionLimit = verdict.unclear.length > 0 ? 1 : grown(turn.transactionLimit, needs.limits);
  turn.instantRetries = 0;
  countGone(await remove(turn, { verdict, next }, needs), verdict, metrics);
  if (turn.held && accepted.length > 0) await endHoldsOf(turn, accepted, needs);
  if (verdict.putOff.length > 0) await putOff(turn.domain, verdict.putOff, needs);
  turn.held ||= verdict.putOff.length > 0;
  const last = items.at(-1)?.position ?? 0;
  turn.after = verdict.unclear.length > 0 ? 0 : Math.max(turn.after, last);
  if (!verdict.overloaded) return "on";
  const wait = backoffMillis(Math.max(1, turn.failures), {}, needs);
  await releaseAt(turn, clock.nowMillis() + wait, needs);
  return "over";
}

/** Removes what is done with, and begins the next transaction with it, where that one is still the right one. */
async function remove(
  turn: Turn,
  { verdict, next }: { verdict: Answered; next: Parcel | undefined },
  { lanes, clock, limits }: SendingNeeds,
): Promise<number[]> {
  const { accepted, refused, putOff: waiting, unclear, overloaded } = verdict;
  const settled: Settlement = {
    domain: turn.domain,
    positions: [...accepted, ...refused].map(({ position }) => position),
    now: clock.nowSeconds(),
    failures: turn.failures,
    limit: turn.transactionLimit,
  };
  try {
    if (next === undefined || waiting.length > 0 || unclear.length > 0 || overloaded) {
      return await settleTransaction(lanes, settled);
    }
    const [leaseId, leaseSeconds] = [turn.leaseId, limits.outboxLeaseSeconds];
    const { gone, begun } = await settleAndBegin(lanes, {
      settled,
      next: { ...next.transaction, leaseId, leaseSeconds },
    });
    if (begun) turn.next = next;
    return gone;
  } finally {
    if (turn.next === undefined) next?.room.free();
  }
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

async function notAnswered(
  turn: Turn,
  { verdict, items, transaction }: { verdict: NotAnswered; items: SentItem[]; transaction: StoredTransaction },
  needs: SendingNeeds,
): Promise<Step> {
  if (verdict.kind === "failed") return fail(turn, verdict, needs).then(() => "over");
  if (verdict.kind === "unacceptable") return split(turn, items, needs);
  turn.instantRetries += 1;
  const tooOften = turn.instantRetries > mostInstantRetries;
  if (verdict.kind === "conflict") {
    await abandonTransaction(needs.db, { ...turn, limit: turn.transactionLimit });
  } else {
    turn.pending = transaction;
  }
  if (!tooOften) return "on";
  await fail(turn, { problem: verdict.kind, retryAfterSeconds: null }, needs);
  return "over";
}

/** Halves what was refused as a whole; a message that was refused alone is refused for good. */
async function split(turn: Turn, items: SentItem[], needs: SendingNeeds): Promise<Step> {
  if (items.length === 1) {
    const none = { accepted: [], putOff: [], unclear: [], overloaded: false };
    const verdict: Answered = { kind: "answered", ...none, refused: items };
    return settle(turn, { verdict, items, next: undefined }, needs);
  }
  turn.transactionLimit = Math.ceil(items.length / 2);
  return again(turn, needs);
}

async function fail(
  turn: Turn,
  { problem, retryAfterSeconds }: { problem: string; retryAfterSeconds: number | null },
  needs: SendingNeeds,
): Promise<void> {
  const nowMillis = needs.clock.nowMillis();
  const wait = backoffMillis(turn.failures + 1, { retryAfterSeconds }, needs);
  const { domain, leaseId } = turn;
  await releaseFailed(needs.db, { domain, leaseId, nowMillis, nextAttemptMillis: nowMillis + wait, problem });
}

async function releaseAt(turn: Turn, nextAttemptMillis: number, { db }: SendingNeeds): Promise<void> {
  const { domain, leaseId } = turn;
  await releaseDestination(db, { domain, leaseId, nextAttemptMillis });
}
