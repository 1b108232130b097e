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
import { backoffMillis, deferRecipients } from "./backoff.js";
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

// A lease run: what one node does for one destination while it holds the destination's lease.
//
//   reach, unless the last attempt succeeded --> choose
//   choose --stored--> sent --answered--> settle --> choose ...            one transaction in flight, in order
//                        |  --no answer, 5xx, 429, 403--> backoff; the transaction keeps its id and its messages
//                        |  --400, 413--> choose half as many; a message that stands alone is refused for good
//                        |                (where ciphertexts were shared, choose again without sharing first)
//                        |  --401--> sent once more, with a new token
//                        '  --409--> choose again under a new id
//   choose --nothing left--> idle
//
// While a transaction is in flight, the next one is stored and encoded if it would be full. If every message of the first
// is accepted or refused for good, the second is sent at once, while one statement settles the first and stores the third:
//
//   sent:    1 ------> 2 ---------------> 3 ---------------> 4
//   stored:  1 | 1,2 | 2,3 (1 is settled) | 3,4 (2 is settled) | ...       each before it is sent, two at the most
//
// Rows are deleted only after the answer. If a run breaks off at any point, the next run, on any node, sends the stored
// transactions again in their order, and the peer recognises the transactions by their ids or the messages by their tags.
// In all other cases (a recipient is deferred, a message is gone) the second transaction is forgotten, and a new id is
// chosen for the rest.

export type DeliveryConfig = Pick<
  Config,
  | "outboxTransactionMessages"
  | "outboxTransactionBytes"
  | "outboxTurnTransactions"
  | "outboxLeaseSeconds"
  | "outboxMinBackoffSeconds"
  | "outboxMaxBackoffSeconds"
>;

export interface DeliveryDeps {
  db: Knex;
  /** For the statements of each transaction. */
  pipelined: Db | Pipeline;
  clock: Clock;
  random: Pick<Random, "uuid" | "fraction">;
  metrics: Pick<MetricsService, "count">;
  calls: Pick<PeerCalls, "reach" | "deliver" | "sharesCiphertexts">;
  inFlight: ByteSemaphore;
  /** This server's domain. */
  domain: Domain;
  config: DeliveryConfig;
  /** Why nothing may be sent to a destination at the moment; undefined if sending is allowed. */
  blockedReason(domain: Domain): string | undefined;
  /** Whether to end the run after so many transactions: another destination waits, the node stops, or sending is off. */
  shouldYield(transactions: number): boolean;
  /** True once the node has released the lease without waiting for the run, whose result is then ignored. */
  abandoned(): boolean;
}

interface LeaseRun extends Lease {
  domain: Domain;
  /** Whether the destination had never answered a delivery when the run began. */
  unreached: boolean;
  /** Whether its first answer came in this run, which occupies a slot of unreached destinations. */
  newlyReached: boolean;
  failures: number;
  transactionLimit: number | null;
  /** Stored transactions to send again, in order, before any is chosen. */
  pending: StoredTransaction[];
  /** Rows up to this position are held or were sent in this run. */
  after: number;
  /** Whether there may be recipients on hold. */
  held: boolean;
  /** Whether the destination takes messages that share a ciphertext. */
  shares: boolean;
  /** How often in a row a refused transaction was retried without a wait. */
  instantRetries: number;
  /** A transaction that is stored and encoded. */
  next: OutgoingTransaction | undefined;
  /** The transaction behind it. It resolves once that one is stored and the one before it is settled. */
  ahead: Promise<OutgoingTransaction | undefined> | undefined;
}

/** The result of one transaction: continue, or leave the destination. */
type Step = "on" | "over";

const mostInstantRetries = 2;
const longestIdleCheckMillis = 1000;
/** Messages that were read longer ago are checked again before they are sent: they may have expired or been purged. */
const freshMillis = 100;

/** Delivers to one destination until nothing is left, an attempt fails, or it must yield. Ends the lease. */
export async function runLease(lease: Lease, claimed: Claimed, deps: DeliveryDeps): Promise<void> {
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
    shares: false,
    instantRetries: 0,
    next: undefined,
    ahead: undefined,
  };
  try {
    for (let transactions = 0; !deps.abandoned(); transactions += 1) {
      const blockedReason = deps.blockedReason(run.domain);
      const yields = run.newlyReached || deps.shouldYield(transactions);
      // An answered transaction is settled before the lease ends.
      if (yields || blockedReason !== undefined) await dropAhead(run);
      if (yields) return await releaseAt(run, deps.clock.nowMillis(), deps);
      if (blockedReason !== undefined)
        return await fail(run, { problem: blockedReason, retryAfterSeconds: null }, deps);
      if (transactions === 0 && !(await isReachable(run, deps))) return;
      if ((await takeStep(run, deps)) === "over") return;
    }
  } finally {
    run.next?.room.free();
    await dropAhead(run).catch(() => undefined);
  }
}

/**
 * Calls a destination whose last attempt failed, or which was never reached, before any message is read for it: while the
 * call waits, the run occupies a slot and no memory. Of any other it only needs the discovery document, which is cached. False if the call failed, which has ended the lease, or if the run
 * was abandoned.
 */
async function isReachable(run: LeaseRun, deps: DeliveryDeps): Promise<boolean> {
  try {
    if (run.unreached || run.failures > 0) await deps.calls.reach(run.domain);
    run.shares = await deps.calls.sharesCiphertexts(run.domain);
    return !deps.abandoned();
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    if (deps.abandoned()) return false;
    deps.metrics.count("federated_transactions_failed");
    await fail(run, { problem: problemOf(error), retryAfterSeconds: null }, deps);
    return false;
  }
}

async function takeStep(run: LeaseRun, deps: DeliveryDeps): Promise<Step> {
  const { next } = run;
  run.next = undefined;
  if (next !== undefined) return send(run, next, deps);
  const picked = (await resume(run, deps)) ?? (await choose(run, deps)) ?? (await startOver(run, deps));
  return picked === undefined ? rest(run, deps) : sendPicked(run, picked, deps);
}

// Choosing

/** The stored transaction without an answer, if all of its messages are still there: other messages need another id. */
async function resume(run: LeaseRun, { db, clock, config }: DeliveryDeps): Promise<Picked | undefined> {
  const { domain, shares } = run;
  const pending = run.pending.shift();
  if (pending === undefined) return undefined;
  const { positions } = pending;
  const { count, bytes } = await measureWaiting(db, { domain, positions, now: clock.nowSeconds(), shares });
  // It is too large if its messages shared a ciphertext when it was stored, and may not any more.
  const fits = positions.length === 1 || bytes <= config.outboxTransactionBytes;
  if (count === positions.length && fits) return { ...pending, bytes, messages: undefined };
  run.pending = [];
  return undefined;
}

/** Stores a new transaction. If memory allows, the same statement reads its messages, which saves a round trip. */
async function choose(run: LeaseRun, deps: DeliveryDeps): Promise<Picked | undefined> {
  return withImmediateReservation(deps.inFlight, mostBytesAhead, async (room) => {
    const choice = choiceAfter(run, run.after, deps);
    const limit = run.transactionLimit ?? choice.limit;
    const chosen = await beginTransaction(deps.pipelined, { ...choice, limit, room: room?.bytes() ?? 0 });
    if (chosen?.messages === undefined || room === undefined) return { result: chosen, kept: 0 };
    return { result: { ...chosen, room }, kept: chosen.bytes };
  });
}

/** A new transaction of the usual size, from the rows behind a position. */
function choiceAfter(run: LeaseRun, after: number, { clock, random, config }: DeliveryDeps): Omit<Choice, "room"> {
  return {
    domain: run.domain,
    leaseId: run.leaseId,
    leaseSeconds: config.outboxLeaseSeconds,
    transactionId: random.uuid(),
    nowMillis: clock.nowMillis(),
    after,
    limit: config.outboxTransactionMessages,
    bytes: config.outboxTransactionBytes,
    shares: run.shares,
  };
}

/** Looks again from the first row, since holds may have ended. */
async function startOver(run: LeaseRun, deps: DeliveryDeps): Promise<Picked | undefined> {
  if (run.after === 0 || !run.held) return undefined;
  run.after = 0;
  return choose(run, deps);
}

/** Ends the run if nothing can be sent: the queue is empty, or its messages are on hold, expiring, or just arrived. */
async function rest(run: LeaseRun, deps: DeliveryDeps): Promise<Step> {
  const { db, pipelined, clock } = deps;
  if (await releaseIdle(pipelined, run)) return "over";
  const now = clock.nowMillis();
  run.after = 0;
  const picked = await choose(run, deps);
  if (picked !== undefined) return sendPicked(run, picked, deps);
  const holdEnd = await firstHoldEnd(db, run.domain);
  await releaseAt(run, Math.max(now + 1, holdEnd ?? now + longestIdleCheckMillis), deps);
  return "over";
}

/**
 * The next transaction, stored while another one is in flight. Nothing is prepared while recipients are on hold or
 * transactions have an unusual size. Never throws: a transaction that cannot be prepared is chosen later.
 */
async function prepareNext(
  run: LeaseRun,
  { items }: OutgoingTransaction,
  deps: DeliveryDeps,
): Promise<OutgoingTransaction | undefined> {
  if (run.held || run.transactionLimit !== null) return undefined;
  const stored = run.pending.shift();
  if (stored !== undefined) return packStored(run, stored, deps).catch(() => undefined);
  if (items.length !== deps.config.outboxTransactionMessages) return undefined;
  const choice = choiceAfter(run, Math.max(run.after, lastPosition(items)), deps);
  const begin = async (room: ByteReservation | undefined) =>
    room === undefined ? undefined : beginNext(deps.pipelined, { ...choice, room: room.bytes() });
  return packNext(run, begin, deps).catch(() => undefined);
}

// Sending

async function sendPicked(run: LeaseRun, picked: Picked, deps: DeliveryDeps): Promise<Step> {
  const outgoing = await fill(run, picked, deps);
  if (outgoing !== undefined) return send(run, outgoing, deps);
  if (deps.abandoned()) return "over";
  await abandonStored(run, deps);
  return "on";
}

async function send(run: LeaseRun, outgoing: OutgoingTransaction, deps: DeliveryDeps): Promise<Step> {
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
  return notAnswered(run, { outcome, outgoing, stored }, deps);
}

/** Undefined if the run was abandoned before anything was sent. */
async function deliver(
  run: LeaseRun,
  { transaction, items, body }: OutgoingTransaction,
  deps: DeliveryDeps,
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
  { outcome, outgoing, stored }: { outcome: NotAnswered; outgoing: OutgoingTransaction; stored: StoredTransaction[] },
  deps: DeliveryDeps,
): Promise<Step> {
  if (outcome.kind === "failed") return fail(run, outcome, deps).then(() => "over");
  if (outcome.kind === "unacceptable") {
    if (!outgoing.shares) return split(run, outgoing.items, deps);
    // The peer may no longer take what its document said.
    run.shares = false;
    await abandonStored(run, deps);
    return "on";
  }
  run.instantRetries += 1;
  const tooOften = run.instantRetries > mostInstantRetries;
  if (outcome.kind === "conflict") {
    await abandonStored(run, deps);
  } else {
    run.pending = stored;
  }
  if (!tooOften) return "on";
  await fail(run, { problem: outcome.kind, retryAfterSeconds: null }, deps);
  return "over";
}

/** Halves a transaction that was refused as a whole. A message that was refused alone is refused for good. */
async function split(run: LeaseRun, items: SentItem[], deps: DeliveryDeps): Promise<Step> {
  if (items.length === 1) {
    const outcome: Answered = {
      kind: "answered",
      accepted: [],
      refused: items,
      deferred: [],
      unclear: [],
      overloaded: false,
    };
    return settle(run, { outcome, items }, deps);
  }
  run.transactionLimit = Math.ceil(items.length / 2);
  await abandonStored(run, deps);
  return "on";
}

// Settling

/** Stores the result of an answered transaction. The next one is sent at once if it is still valid. */
async function settle(
  run: LeaseRun,
  { outcome, items }: { outcome: Answered; items: readonly SentItem[] },
  deps: DeliveryDeps,
): Promise<Step> {
  const { clock, config } = deps;
  const { accepted, deferred, unclear, overloaded } = outcome;
  run.failures = accepted.length === 0 && overloaded ? run.failures + 1 : 0;
  run.transactionLimit = unclear.length > 0 ? 1 : grow(run.transactionLimit, config);
  run.instantRetries = 0;
  run.newlyReached = run.unreached;
  run.after = unclear.length > 0 ? 0 : Math.max(run.after, lastPosition(items));
  if (run.next !== undefined && (await mayFollow(run, { outcome, next: run.next }, deps))) {
    run.ahead = advance(run, { outcome, next: run.next }, deps);
    run.ahead.catch(() => undefined);
    return "on";
  }
  dropNext(run);
  run.pending = [];
  countRemoved(await settleTransaction(deps.pipelined, settlementOf(run, outcome, deps)), outcome, deps.metrics);
  if (run.held && accepted.length > 0) await endHoldsOf(run, accepted, deps);
  if (deferred.length > 0) await deferRecipients(run.domain, deferred, deps);
  run.held ||= deferred.length > 0;
  if (!overloaded) return "on";
  const wait = backoffMillis(Math.max(1, run.failures), {}, deps);
  await releaseAt(run, clock.nowMillis() + wait, deps);
  return "over";
}

/** Whether the transaction that was prepared may be sent as it is. */
async function mayFollow(
  run: LeaseRun,
  { outcome, next }: { outcome: Answered; next: OutgoingTransaction },
  { pipelined, clock }: DeliveryDeps,
): Promise<boolean> {
  const { deferred, unclear, overloaded } = outcome;
  if (run.held || deferred.length > 0 || unclear.length > 0 || overloaded) return false;
  if (clock.nowMillis() - next.readAtMillis < freshMillis) return true;
  const { positions } = next.transaction;
  const { count } = await measureWaiting(pipelined, { ...run, positions, now: clock.nowSeconds() });
  return count === positions.length;
}

/** Settles a transaction and stores the one behind the next, which is in flight by now. */
function advance(
  run: LeaseRun,
  { outcome, next }: { outcome: Answered; next: OutgoingTransaction },
  deps: DeliveryDeps,
): Promise<OutgoingTransaction | undefined> {
  const settled = settlementOf(run, outcome, deps);
  const choice = choiceAfter(run, lastPosition(next.items), deps);
  const begin = async (room: ByteReservation | undefined) => {
    const { gone, begun } = await settleAndAdvance(deps.pipelined, {
      settled,
      choice: { ...choice, room: room?.bytes() ?? 0 },
    });
    countRemoved(gone, outcome, deps.metrics);
    return begun;
  };
  return packNext(run, begin, deps);
}

function settlementOf(run: LeaseRun, { accepted, refused }: Answered, { clock }: DeliveryDeps): Settlement {
  const { domain, leaseId, failures, transactionLimit } = run;
  const positions = [...accepted, ...refused].map(({ position }) => position);
  return { domain, leaseId, positions, now: clock.nowSeconds(), failures, transactionLimit };
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

/** Once a halved transaction has passed, the next may be half as large again, up to the usual size. */
function grow(limit: number | null, { outboxTransactionMessages: most }: DeliveryConfig): number | null {
  if (limit === null) return null;
  const next = Math.ceil(limit * 1.5);
  return next >= most ? null : next;
}

// Ending

/** Waits until the transaction ahead is stored, then frees its memory. It stays stored. */
async function dropAhead(run: LeaseRun): Promise<void> {
  const { ahead } = run;
  run.ahead = undefined;
  (await ahead)?.room.free();
}

/** Frees the memory of the transaction that was to be sent next. It stays stored. */
function dropNext(run: LeaseRun): void {
  run.next?.room.free();
  run.next = undefined;
}

/** Forgets the stored transactions, so that their messages are chosen again under another id. */
async function abandonStored(run: LeaseRun, { db }: Pick<DeliveryDeps, "db">): Promise<void> {
  run.pending = [];
  await abandonTransaction(db, { ...run, limit: run.transactionLimit });
}

/** Ends the lease after a failed attempt. */
async function fail(
  run: LeaseRun,
  { problem, retryAfterSeconds }: { problem: string; retryAfterSeconds: number | null },
  deps: DeliveryDeps,
): Promise<void> {
  const nowMillis = deps.clock.nowMillis();
  const wait = backoffMillis(run.failures + 1, { retryAfterSeconds }, deps);
  const { domain, leaseId } = run;
  await releaseFailed(deps.db, { domain, leaseId, nowMillis, nextAttemptMillis: nowMillis + wait, problem });
}

/** Ends the lease. The destination is due again at the given time. */
async function releaseAt(run: LeaseRun, nextAttemptMillis: number, { db }: DeliveryDeps): Promise<void> {
  const { domain, leaseId } = run;
  await releaseDestination(db, { domain, leaseId, nextAttemptMillis });
}

function lastPosition(items: readonly SentItem[]): number {
  return items.at(-1)?.position ?? 0;
}
