import { type ByteReservation, withImmediateReservation } from "../../platform/concurrency/byte-semaphore.js";
import type { Domain } from "../../protocol/address.js";
import { PeerError } from "../peers/calls.js";
import {
  abandon,
  choiceAfter,
  dropNext,
  fail,
  type LeaseRun,
  lastOf,
  releaseAt,
  type SendingDeps,
  type Step,
} from "./lease-run.js";
import { type Claimed, firstHoldEnd, type Lease, releaseIdle, type StoredTransaction } from "./lease-store.js";
import { type Answered, type NotAnswered, parseResponse, type ResponseOutcome, type SentItem } from "./response.js";
import { settle } from "./settle.js";
import { fill, mostBytesAhead, type OutgoingTransaction, type Picked, packNext, packStored } from "./transaction.js";
import { beginNext, beginTransaction, measureWaiting } from "./transaction-store.js";

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
