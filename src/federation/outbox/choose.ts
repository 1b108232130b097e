import { type ByteReservation, withImmediateReservation } from "../../platform/concurrency/byte-semaphore.js";
import { abandonStored, type DeliveryDeps, dropNext, type LeaseRun } from "./run.js";
import {
  fill,
  mostBytesAhead,
  type OutgoingTransaction,
  type Picked,
  packNext,
  type TransactionDestination,
} from "./transaction.js";
import { beginNext, beginTransaction, type Choice, measureWaiting } from "./transaction-store.js";

// Which transaction a lease run sends next:
//
//   1. what was stored by an earlier run, one at a time, in order
//   2. the transaction that was prepared, once none of its recipients has another one in flight
//   3. the first rows behind those that were chosen before. While others are in flight, they end before the first row whose
//      recipient has a message in flight, and they go out only beside a few messages: many gain more by leaving together
//
// While many messages are in flight, the next transaction is prepared if it is a full one. One that is not can still grow.

/** Up to this many messages in flight, others for other recipients do not wait for the answer. */
const fewMessages = 32;
/** Messages that were read longer ago are checked again before they are sent: they may have expired or been purged. */
const freshMillis = 100;

/** The transaction to send now, if there is one. */
export async function nextOutgoing(run: LeaseRun, deps: DeliveryDeps): Promise<OutgoingTransaction | undefined> {
  const { inFlight } = run;
  if (run.pending.length > 0) return inFlight.count() > 0 ? undefined : resume(run, deps);
  if (run.next !== undefined) return takeNext(run, deps);
  if (run.wakeUp.takeMessages()) run.behind = "unknown";
  if (run.behind !== "unknown") return undefined;
  if (inFlight.count() === 0) return chooseAndFill(run, deps);
  if (isAlone(run)) return undefined;
  const isRoom = inFlight.count() < deps.config.outboxTransactionsInFlight && inFlight.messages() <= fewMessages;
  if (isRoom) return chooseAndFill(run, deps);
  if (!run.lastWasFull) return undefined;
  run.next = await prepare(run, deps);
  return run.next === undefined ? undefined : takeNext(run, deps);
}

/** Whether transactions go one at a time: to a destination that was never reached, and to find a message at fault. */
function isAlone({ unreached, transactionLimit }: LeaseRun): boolean {
  return unreached || transactionLimit !== null;
}

/** The first stored transaction without an answer, if all of its messages are still there: others need another id. */
async function resume(run: LeaseRun, deps: DeliveryDeps): Promise<OutgoingTransaction | undefined> {
  const [pending] = run.pending;
  if (pending === undefined) return undefined;
  const { positions } = pending;
  const { count, bytes } = await measureWaiting(deps.db, waitingOf(run, positions, deps));
  // It is too large if its messages shared a ciphertext when it was stored, and may not any more.
  const fits = positions.length === 1 || bytes <= deps.config.outboxTransactionBytes;
  if (count === positions.length && fits) {
    run.pending.shift();
    const outgoing = await fill(destinationOf(run), { ...pending, bytes, messages: undefined }, deps);
    if (outgoing !== undefined || deps.abandoned()) return outgoing;
  }
  await abandonStored(run, deps);
  return chooseAndFill(run, deps);
}

async function takeNext(run: LeaseRun, deps: DeliveryDeps): Promise<OutgoingTransaction | undefined> {
  const { next, inFlight } = run;
  if (next === undefined || inFlight.count() >= deps.config.outboxTransactionsInFlight) return undefined;
  if (inFlight.conflictsWith(next)) return undefined;
  if (await isStillThere(run, next, deps)) {
    run.next = undefined;
    return next;
  }
  await dropNext(run, deps);
  return undefined;
}

async function isStillThere(run: LeaseRun, next: OutgoingTransaction, deps: DeliveryDeps): Promise<boolean> {
  if (deps.clock.nowMillis() - next.readAtMillis < freshMillis) return true;
  const { positions } = next.transaction;
  const { count } = await measureWaiting(deps.pipelined, waitingOf(run, positions, deps));
  return count === positions.length;
}

/** Stores a new transaction and encodes it. Undefined if there is none, or if messages of it are gone by then. */
async function chooseAndFill(run: LeaseRun, deps: DeliveryDeps): Promise<OutgoingTransaction | undefined> {
  const picked = await choose(run, deps);
  if (picked === undefined) return undefined;
  const outgoing = await fill(destinationOf(run), picked, deps);
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
    const choice = { ...choiceOf(run, deps), room: room?.bytes() ?? 0, busy };
    const chosen = await beginTransaction(deps.pipelined, choice);
    if (chosen === undefined) {
      run.behind = busy.length > 0 ? "busy" : "nothing";
      return { result: undefined, kept: 0 };
    }
    run.behind = chosen.more ? "unknown" : "nothing";
    run.lastWasFull = chosen.positions.length === choice.limit;
    run.after = Math.max(run.after, chosen.positions.at(-1) ?? 0);
    if (chosen.messages === undefined || room === undefined) return { result: chosen, kept: 0 };
    return { result: { ...chosen, room }, kept: chosen.bytes };
  });
}

/** A full transaction, stored while others are in flight. A transaction that cannot be prepared is chosen later. */
async function prepare(run: LeaseRun, deps: DeliveryDeps): Promise<LeaseRun["next"]> {
  const chosenAfter = run.after;
  const choice = choiceOf(run, deps);
  const begin = async (room: ByteReservation | undefined) =>
    room === undefined ? undefined : beginNext(deps.pipelined, { ...choice, busy: [], room: room.bytes() });
  const outgoing = await packNext(destinationOf(run), begin, deps);
  if (outgoing === undefined) {
    run.behind = "busy";
    return undefined;
  }
  run.after = Math.max(run.after, outgoing.transaction.positions.at(-1) ?? 0);
  return { ...outgoing, chosenAfter };
}

/** A new transaction from the rows behind those that were chosen before. */
function choiceOf(run: LeaseRun, { clock, random, config }: DeliveryDeps): Omit<Choice, "room" | "busy"> {
  const nowMillis = clock.nowMillis();
  if (run.after === 0) run.passBegan = nowMillis;
  return {
    domain: run.domain,
    leaseId: run.leaseId,
    transactionId: random.uuid(),
    nowMillis,
    heldAfter: run.passBegan,
    after: run.after,
    limit: Math.min(run.transactionLimit ?? run.usualMessages, run.usualMessages),
    bytes: config.outboxTransactionBytes,
    ...run.form,
  };
}

function waitingOf(run: LeaseRun, positions: readonly number[], { clock }: DeliveryDeps) {
  return { domain: run.domain, positions, now: clock.nowSeconds(), ...run.form };
}

function destinationOf({ domain, form }: LeaseRun): TransactionDestination {
  return { domain, ...form };
}
