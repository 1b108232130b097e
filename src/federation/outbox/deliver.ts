import type { Knex } from "knex";
import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../platform/cluster/clock.js";
import {
  type ByteReservation,
  type ByteSemaphore,
  withImmediateReservation,
} from "../../platform/concurrency/byte-semaphore.js";
import type { Config } from "../../platform/config/config.js";
import type { Db, Pipeline } from "../../platform/database/connection.js";
import type { Random } from "../../platform/random.js";
import type { Domain } from "../../protocol/address.js";
import { type PeerCalls, PeerError } from "../peers/types.js";
import { backoffMillis, putOff } from "./backoff.js";
import {
  type Claimed,
  endHolds,
  firstHoldEnd,
  type Lease,
  releaseDestination,
  releaseFailed,
  releaseIdle,
  type StoredTransaction,
} from "./lease-store.js";
import { type Answered, type NotAnswered, parseResponse, type ResponseOutcome, type SentItem } from "./response.js";
import { fill, mostBytesAhead, type OutgoingTransaction, type Picked, packNext, packStored } from "./transaction.js";
import {
  abandonTransaction,
  beginNext,
  beginTransaction,
  type Choice,
  measureWaiting,
  type Settlement,
  settleAndAdvance,
  settleTransaction,
} from "./transaction-store.js";

// A turn: what one node does for one destination while it has the lease.
//
//   reach, where it was not reached the last time --> choose
//   choose --stored--> sent --answered--> settle --> choose ...            one transaction in flight, in order
//                        |  --no answer, 5xx, 429, 403--> backoff; the transaction keeps id and membership
//                        |  --400, 413--> choose half as many; a message that stands alone is refused for good
//                        |  --401--> sent once more, with a new token
//                        '  --409--> choose again under a new id
//   choose --nothing left--> idle
//
// While a transaction is on its way, the next one is stored and encoded, if it would be a full one. Where all messages of
// the first were accepted or refused for good, the second is sent at once, and meanwhile one statement settles the first
// and stores the third:
//
//   sent:    1 ------> 2 ---------------> 3 ---------------> 4
//   stored:  1 | 1,2 | 2,3 (1 is settled) | 3,4 (2 is settled) | ...       each before it is sent, two at the most
//
// Rows go only once the answer is there. Whatever breaks off in between, the next turn, on whichever node, sends what is
// stored again, in its order, and the peer recognises the transactions by their ids or the messages by their tags. In all
// other cases (somebody is put off, a message is gone) the second is forgotten, and another id is chosen for what is left.

const mostInstantRetries = 2;
const fullestWaitMillis = 1000;

/** Delivers to one destination until nothing is left, something fails, or others wait; ends the lease. */
export async function runLease(lease: Lease, claimed: Claimed, deps: SendingDeps): Promise<void> {
  const run: LeaseRun = {
    ...lease,
    domain: lease.domain as Domain,
    unreached: claimed.unreached,
    newlyReached: false,
    failures: claimed.failures,
    transactionLimit: claimed.transactionLimit,
    pending: claimed.transactions,
    after: 0,
    held: claimed.held,
    instantRetries: 0,
    next: undefined,
    ahead: undefined,
  };
  try {
    for (let transactions = 0; !deps.abandoned(); transactions += 1) {
      const blockedReason = deps.blockedReason(run.domain);
      const yields = run.newlyReached || deps.shouldYield(transactions);
      // What was answered is settled before the lease ends.
      if (yields || blockedReason !== undefined) await dropAhead(run);
      if (yields) return await releaseAt(run, deps.clock.nowMillis(), deps);
      if (blockedReason !== undefined)
        return await fail(run, { problem: blockedReason, retryAfterSeconds: null }, deps);
      if (transactions === 0 && !(await isThere(run, deps))) return;
      if ((await takeStep(run, deps)) === "over") return;
    }
  } finally {
    run.next?.room.free();
    await dropAhead(run).catch(() => undefined);
  }
}

/**
 * Who was never reached, or not the last time, is called before anything is read for it: while it is waited for, nothing is
 * held but its place. False where it is not there, or the node has given the turn up; the lease has ended then.
 */
async function isThere(run: LeaseRun, deps: SendingDeps): Promise<boolean> {
  if (!run.unreached && run.failures === 0) return true;
  try {
    await deps.calls.reach(run.domain);
    return !deps.abandoned();
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    if (deps.abandoned()) return false;
    deps.metrics.count("federated_transactions_failed");
    await fail(run, { problem: problemOf(error), retryAfterSeconds: null }, deps);
    return false;
  }
}

/** Waits for what is being settled and stored; what is stored stays so. */
async function dropAhead(run: LeaseRun): Promise<void> {
  const { ahead } = run;
  run.ahead = undefined;
  (await ahead)?.room.free();
}

async function takeStep(run: LeaseRun, deps: SendingDeps): Promise<Step> {
  const { next } = run;
  run.next = undefined;
  if (next !== undefined) return send(run, next, deps);
  const picked = (await resume(run, deps)) ?? (await choose(run, deps)) ?? (await startOver(run, deps));
  return picked === undefined ? rest(run, deps) : sendPicked(run, picked, deps);
}

/** The transaction that had no answer, if it still is what it was: other members need another id. */
async function resume(run: LeaseRun, { db, clock }: SendingDeps): Promise<Picked | undefined> {
  const { domain } = run;
  const pending = run.pending.shift();
  if (pending === undefined) return undefined;
  const { positions } = pending;
  const { count, bytes } = await measureWaiting(db, { domain, positions, now: clock.nowSeconds() });
  if (count === positions.length) return { ...pending, bytes, messages: undefined };
  run.pending = [];
  return undefined;
}

/** The messages are read at once, where there is room for them: then one trip less lies before they are sent. */
async function choose(run: LeaseRun, deps: SendingDeps): Promise<Picked | undefined> {
  return withImmediateReservation(deps.inFlight, mostBytesAhead, async (room) => {
    const choice = choiceAfter(run, run.after, deps);
    const limit = run.transactionLimit ?? choice.limit;
    const chosen = await beginTransaction(deps.pipelined, { ...choice, limit, room: room?.bytes() ?? 0 });
    if (chosen?.messages === undefined || room === undefined) return { result: chosen, kept: 0 };
    return { result: { ...chosen, room }, kept: chosen.bytes };
  });
}

/** Looks again from the front, where holds may have ended. */
async function startOver(run: LeaseRun, deps: SendingDeps): Promise<Picked | undefined> {
  if (run.after === 0 || !run.held) return undefined;
  run.after = 0;
  return choose(run, deps);
}

/** Nothing may go: either nothing is there, or what is there is held, about to expire, or came in this moment. */
async function rest(run: LeaseRun, deps: SendingDeps): Promise<Step> {
  const { db, pipelined, clock } = deps;
  if (await releaseIdle(pipelined, run)) return "over";
  const now = clock.nowMillis();
  run.after = 0;
  const picked = await choose(run, deps);
  if (picked !== undefined) return sendPicked(run, picked, deps);
  const holdEnd = await firstHoldEnd(db, run.domain);
  await releaseAt(run, Math.max(now + 1, holdEnd ?? now + fullestWaitMillis), deps);
  return "over";
}

async function sendPicked(run: LeaseRun, picked: Picked, deps: SendingDeps): Promise<Step> {
  const outgoing = await fill(run.domain, picked, deps);
  if (outgoing !== undefined) return send(run, outgoing, deps);
  if (deps.abandoned()) return "over";
  await abandon(run, deps);
  return "on";
}

async function send(run: LeaseRun, outgoing: OutgoingTransaction, deps: SendingDeps): Promise<Step> {
  const { items, transaction, room } = outgoing;
  run.ahead ??= prepareNext(run, outgoing, deps);
  const [sent, prepared] = await Promise.allSettled([
    deliver(run, outgoing, deps).finally(() => room.free()),
    run.ahead,
  ]);
  run.ahead = undefined;
  if (prepared.status === "rejected") throw prepared.reason;
  run.next = prepared.value;
  if (sent.status === "rejected") throw sent.reason;
  const outcome = sent.value;
  if (outcome === undefined || deps.abandoned()) return "over";
  if (outcome.kind === "answered") return settle(run, { outcome, items }, deps);
  const stored = run.next === undefined ? [transaction] : [transaction, run.next.transaction];
  dropNext(run);
  deps.metrics.count("federated_transactions_failed");
  return notAnswered(run, { outcome, items, stored }, deps);
}

/**
 * With recipients that are held, or in transactions of another size than usual, nothing is prepared. Never throws: what
 * cannot be prepared is chosen in its turn.
 */
async function prepareNext(
  run: LeaseRun,
  { items }: OutgoingTransaction,
  deps: SendingDeps,
): Promise<OutgoingTransaction | undefined> {
  if (run.held || run.transactionLimit !== null) return undefined;
  const stored = run.pending.shift();
  if (stored !== undefined) return packStored(run.domain, stored, deps).catch(() => undefined);
  if (items.length !== deps.config.outboxTransactionMessages) return undefined;
  const choice = choiceAfter(run, Math.max(run.after, lastOf(items)), deps);
  const begin = async (room: ByteReservation | undefined) =>
    room === undefined ? undefined : beginNext(deps.pipelined, { ...choice, room: room.bytes() });
  return packNext(run.domain, begin, deps).catch(() => undefined);
}

/** Undefined where the turn was given up before anything was sent. */
async function deliver(
  run: LeaseRun,
  { transaction, items, body }: OutgoingTransaction,
  deps: SendingDeps,
): Promise<ResponseOutcome | undefined> {
  const { clock, calls } = deps;
  if (deps.abandoned()) return undefined;
  try {
    const answer = await calls.deliver(run.domain, transaction.id, body);
    return parseResponse(answer, { id: transaction.id, items, nowMillis: clock.nowMillis() });
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    return { kind: "failed", problem: problemOf(error), retryAfterSeconds: null };
  }
}

function problemOf({ problem, status, error }: PeerError): string {
  return [problem, status, error].filter((part) => part !== undefined).join(" ");
}

async function notAnswered(
  run: LeaseRun,
  { outcome, items, stored }: { outcome: NotAnswered; items: SentItem[]; stored: StoredTransaction[] },
  deps: SendingDeps,
): Promise<Step> {
  if (outcome.kind === "failed") return fail(run, outcome, deps).then(() => "over");
  if (outcome.kind === "unacceptable") return split(run, items, deps);
  run.instantRetries += 1;
  const tooOften = run.instantRetries > mostInstantRetries;
  if (outcome.kind === "conflict") {
    await abandon(run, deps);
  } else {
    run.pending = stored;
  }
  if (!tooOften) return "on";
  await fail(run, { problem: outcome.kind, retryAfterSeconds: null }, deps);
  return "over";
}

/** Halves what was refused as a whole; a message that was refused alone is refused for good. */
async function split(run: LeaseRun, items: SentItem[], deps: SendingDeps): Promise<Step> {
  if (items.length === 1) {
    const none = { accepted: [], putOff: [], unclear: [], overloaded: false };
    const outcome: Answered = { kind: "answered", ...none, refused: items };
    return settle(run, { outcome, items }, deps);
  }
  run.transactionLimit = Math.ceil(items.length / 2);
  await abandon(run, deps);
  return "on";
}

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

export type SendingConfig = Pick<
  Config,
  | "outboxTransactionMessages"
  | "outboxTransactionBytes"
  | "outboxTurnTransactions"
  | "outboxLeaseSeconds"
  | "outboxMinBackoffSeconds"
  | "outboxMaxBackoffSeconds"
>;

export interface SendingDeps {
  db: Knex;
  /** For what each transaction asks. */
  pipelined: Db | Pipeline;
  clock: Clock;
  random: Pick<Random, "uuid" | "fraction">;
  metrics: Pick<MetricsService, "count">;
  calls: Pick<PeerCalls, "reach" | "deliver">;
  inFlight: ByteSemaphore;
  /** This server's name. */
  domain: Domain;
  config: SendingConfig;
  /** Why nothing may be sent to a destination at the moment; undefined where it may. */
  blockedReason(domain: Domain): string | undefined;
  /** Whether to make room: for a destination that waits, or because the node stops or nothing may be sent at all. */
  shouldYield(transactions: number): boolean;
  /** Set once the node has given the turn up: its outcome is nobody's any more. */
  abandoned(): boolean;
}

/** Where a turn stands. */
export interface LeaseRun extends Lease {
  domain: Domain;
  /** Whether it has never answered a delivery. */
  unreached: boolean;
  /** Whether its first answer came in this turn, which has no place among those that were reached. */
  newlyReached: boolean;
  failures: number;
  transactionLimit: number | null;
  /** The transactions to send again, in order, before any is chosen. */
  pending: StoredTransaction[];
  /** Rows up to here are held or sent in this turn. */
  after: number;
  /** Whether there may be recipients that are held. */
  held: boolean;
  /** Refusals of a whole transaction that were answered at once with another attempt. */
  instantRetries: number;
  /** A transaction that is stored and ready to go. */
  next: OutgoingTransaction | undefined;
  /** The one behind it, once it is stored, and with it the end of the one before. */
  ahead: Promise<OutgoingTransaction | undefined> | undefined;
}

/** What came of one transaction: go on, or leave the destination. */
export type Step = "on" | "over";

/** A new transaction of the usual size, of rows behind a position. */
export function choiceAfter(
  run: LeaseRun,
  after: number,
  { clock, random, config }: SendingDeps,
): Omit<Choice, "room"> {
  return {
    ...{ domain: run.domain, leaseId: run.leaseId, leaseSeconds: config.outboxLeaseSeconds },
    ...{ transactionId: random.uuid(), nowMillis: clock.nowMillis(), after },
    ...{ limit: config.outboxTransactionMessages, bytes: config.outboxTransactionBytes },
  };
}

export function lastOf(items: readonly SentItem[]): number {
  return items.at(-1)?.position ?? 0;
}

/** Gives up what was to be sent next; it stays stored. */
export function dropNext(run: LeaseRun): void {
  run.next?.room.free();
  run.next = undefined;
}

/** Gives up what is stored, so that a transaction with another id is chosen. */
export async function abandon(run: LeaseRun, { db }: Pick<SendingDeps, "db">): Promise<void> {
  run.pending = [];
  await abandonTransaction(db, { ...run, limit: run.transactionLimit });
}

/** Ends the lease after an attempt that failed. */
export async function fail(
  run: LeaseRun,
  { problem, retryAfterSeconds }: { problem: string; retryAfterSeconds: number | null },
  deps: SendingDeps,
): Promise<void> {
  const nowMillis = deps.clock.nowMillis();
  const wait = backoffMillis(run.failures + 1, { retryAfterSeconds }, deps);
  const { domain, leaseId } = run;
  await releaseFailed(deps.db, { domain, leaseId, nowMillis, nextAttemptMillis: nowMillis + wait, problem });
}

/** Ends the lease; the destination is due again at that time. */
export async function releaseAt(run: LeaseRun, nextAttemptMillis: number, { db }: SendingDeps): Promise<void> {
  const { domain, leaseId } = run;
  await releaseDestination(db, { domain, leaseId, nextAttemptMillis });
}
