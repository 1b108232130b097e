import { type ByteReservation, withImmediateReservation } from "../../platform/concurrency/byte-semaphore.js";
import { firstDelayed } from "./delay-store.js";
import { abandon, type DeliveryDeps, dropNext, type LeaseRun } from "./run.js";
import { fill, mostBytesAhead, type OutgoingTransaction, type Picked, packNext } from "./transaction.js";
import { beginNext, beginTransaction, type Choice, countWaiting, measureWaiting } from "./transaction-store.js";

// Which transaction a lease run sends next:
//
//   1. what was stored by an earlier run, one at a time, in order
//   2. a transaction that was prepared, once none of its recipients has another one in flight
//   3. a delayed transaction that is due, once nothing is in flight
//   4. the first rows behind those that were chosen before. While others are in flight, they end before the first row whose
//      recipient has a message in flight, and they go out only beside a few messages: many gain more by leaving together
//
// 4 comes before 3 while the destination fails: it may refuse the delayed messages alone.
//
// While many messages are in flight, the next transaction is prepared if it is a full one. One that is not can still grow. A large
// one is prepared as two with different recipients: the other server then reads one while it stores the other.

/** Up to this many messages in flight, others for other recipients do not wait for the answer. */
const fewMessages = 32;
/** From so many messages on, a prepared transaction is divided into two. Smaller ones cost more by themselves than is gained. */
const worthDividing = 200;
/** Messages that were read longer ago are checked again before they are sent: they may have expired or been purged. */
const freshMillis = 100;

/** The transaction to send now, if there is one. */
export async function nextOutgoing(run: LeaseRun, deps: DeliveryDeps): Promise<OutgoingTransaction | undefined> {
  const { inFlight } = run;
  if (run.pending.length > 0) return inFlight.count() > 0 ? undefined : resume(run, deps);
  if (run.next.length > 0) return takeNext(run, deps);
  if (run.drains && !(await isDrained(run))) return undefined;
  if (run.failures > 0) return (await nextChosen(run, deps)) ?? nextDelayed(run, deps);
  if (isDelayedDue(run, deps) && inFlight.count() > 0) return undefined;
  return (await nextDelayed(run, deps)) ?? nextChosen(run, deps);
}

async function nextChosen(run: LeaseRun, deps: DeliveryDeps): Promise<OutgoingTransaction | undefined> {
  const { inFlight } = run;
  if (run.wakeUp.takeMessages()) run.behind = "unknown";
  if (run.behind !== "unknown") return undefined;
  if (inFlight.count() === 0) return chooseAndFill(run, deps);
  if (isAlone(run)) return undefined;
  const isRoom = inFlight.count() < deps.config.outboxTransactionsInFlight && inFlight.messages() <= fewMessages;
  if (isRoom) return chooseAndFill(run, deps);
  if (!run.lastWasFull) return undefined;
  run.next = await prepare(run, deps);
  return takeNext(run, deps);
}

function isDelayedDue({ delayedUntil }: LeaseRun, { clock }: DeliveryDeps): boolean {
  return delayedUntil !== null && clock.nowMillis() >= delayedUntil;
}

async function nextDelayed(run: LeaseRun, deps: DeliveryDeps): Promise<OutgoingTransaction | undefined> {
  if (!isDelayedDue(run, deps) || run.inFlight.count() > 0) return undefined;
  const first = await firstDelayed(deps.db, run.domain);
  run.delayedUntil = first?.dueMillis ?? null;
  if (first === undefined || !isDelayedDue(run, deps)) return undefined;
  run.pending = [first.transaction];
  return resume(run, deps);
}

/** Whether everything in flight has been answered, and what was delivered is gone. */
async function isDrained(run: LeaseRun): Promise<boolean> {
  if (run.inFlight.count() > 0) return false;
  await run.inFlight.settled();
  run.drains = false;
  return true;
}

/** Whether transactions go one at a time: to a destination that was never reached, and to find a message at fault. */
function isAlone({ unreached, transactionLimit }: LeaseRun): boolean {
  return unreached || transactionLimit !== null;
}

/** The first stored transaction without an answer, if all of its messages are still there: others need another id. */
async function resume(run: LeaseRun, deps: DeliveryDeps): Promise<OutgoingTransaction | undefined> {
  const [pending] = run.pending;
  if (pending === undefined) return undefined;
  const { positions, form } = pending;
  const { count, bytes } = await measureWaiting(deps.db, { ...waitingOf(run, positions, deps), ...form });
  // It is too large if its messages shared a ciphertext when it was stored, and may not any more.
  const fits = positions.length === 1 || bytes <= deps.config.outboxTransactionBytes;
  if (count === positions.length && fits) {
    run.pending.shift();
    const outgoing = await fill(run.domain, { ...pending, bytes, messages: undefined }, deps);
    if (outgoing !== undefined || deps.abandoned()) return outgoing;
  }
  await abandon(run, pending, deps);
  return chooseAndFill(run, deps);
}

async function takeNext(run: LeaseRun, deps: DeliveryDeps): Promise<OutgoingTransaction | undefined> {
  const { inFlight } = run;
  if (inFlight.count() >= deps.config.outboxTransactionsInFlight) return undefined;
  const next = run.next.find((one) => !inFlight.conflictsWith(one));
  if (next === undefined) return undefined;
  if (await isStillThere(run, next, deps)) {
    run.next = run.next.filter((one) => one !== next);
    return next;
  }
  await dropNext(run, deps);
  return undefined;
}

async function isStillThere(run: LeaseRun, next: OutgoingTransaction, deps: DeliveryDeps): Promise<boolean> {
  if (deps.clock.nowMillis() - next.readAtMillis < freshMillis) return true;
  const { positions } = next.transaction;
  return (await countWaiting(deps.pipelined, waitingOf(run, positions, deps))) === positions.length;
}

/** Stores a new transaction and encodes it. Undefined if there is none, or if messages of it are gone by then. */
async function chooseAndFill(run: LeaseRun, deps: DeliveryDeps): Promise<OutgoingTransaction | undefined> {
  const picked = await choose(run, deps);
  if (picked === undefined) return undefined;
  const outgoing = await fill(run.domain, picked, deps);
  if (outgoing !== undefined || deps.abandoned()) return outgoing;
  // The messages that are left are chosen again, once nothing is in flight.
  run.pending = [picked];
  run.behind = "unknown";
  return undefined;
}

/** Stores a new transaction. If memory allows, the same statement reads its messages, which saves a round trip. */
async function choose(run: LeaseRun, deps: DeliveryDeps): Promise<Picked | undefined> {
  // Rows that were answered must be gone before they are read again.
  if (run.after === 0) await run.inFlight.settled();
  return withImmediateReservation(deps.inFlight, mostBytesAhead, async (room) => {
    const busy = run.inFlight.recipients();
    const choice: Choice = {
      ...choiceOf(run, deps),
      transactionId: deps.random.uuid(),
      room: room?.bytes() ?? 0,
      busy,
    };
    const chosen = await beginTransaction(deps.pipelined, choice);
    if (chosen === undefined) {
      run.behind = busy.length > 0 ? "busy" : "nothing";
      return { result: undefined, kept: 0 };
    }
    run.behind = chosen.more ? "unknown" : "nothing";
    run.lastWasFull = chosen.full;
    run.after = Math.max(run.after, chosen.positions.at(-1) ?? 0);
    if (chosen.messages === undefined || room === undefined) return { result: chosen, kept: 0 };
    return { result: { ...chosen, room }, kept: chosen.bytes };
  });
}

/** A full transaction, or two, stored while others are in flight. What cannot be prepared is chosen later. */
async function prepare(run: LeaseRun, deps: DeliveryDeps): Promise<LeaseRun["next"]> {
  const chosenAfter = run.after;
  const { bytes, ...choice } = choiceOf(run, deps);
  const begin = (room: ByteReservation) =>
    beginNext(deps.pipelined, {
      ...choice,
      transactionIds: Array.from({ length: choice.limit < worthDividing ? 1 : 2 }, () => deps.random.uuid()),
      busy: [],
      bytes: Math.min(bytes, room.bytes()),
      room: room.bytes(),
    });
  const prepared = await packNext(run.domain, begin, deps);
  if (prepared.length === 0) run.behind = "busy";
  run.after = Math.max(run.after, ...prepared.map(({ transaction }) => transaction.positions.at(-1) ?? 0));
  return prepared.map((outgoing) => ({ ...outgoing, chosenAfter }));
}

/** A new transaction from the rows behind those that were chosen before. */
function choiceOf(run: LeaseRun, { clock, config }: DeliveryDeps): Omit<Choice, "transactionId" | "room" | "busy"> {
  const nowMillis = clock.nowMillis();
  if (run.after === 0) run.passBegan = nowMillis;
  return {
    domain: run.domain,
    leaseId: run.leaseId,
    nowMillis,
    heldAfter: run.passBegan,
    after: run.after,
    limit: Math.min(run.transactionLimit ?? run.usualMessages, run.usualMessages),
    bytes: config.outboxTransactionBytes,
    form: run.form,
    shares: run.form.shares,
    attached: run.form.attached,
  };
}

function waitingOf({ domain }: LeaseRun, positions: readonly number[], { clock }: DeliveryDeps) {
  return { domain, positions, now: clock.nowSeconds() };
}
