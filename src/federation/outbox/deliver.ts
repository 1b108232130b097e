import { PeerError } from "../peers/types.js";
import { nextOutgoing } from "./choose.js";
import { type Claimed, firstHoldEnd, type Lease, releaseHeld, releaseIdle } from "./lease-store.js";
import { isSuccess, parseResponse, type ResponseOutcome } from "./response.js";
import {
  type DeliveryDeps,
  fail,
  freeNext,
  type LeaseRun,
  lookAgain,
  newRun,
  problemOf,
  releaseAt,
  type Step,
  useOffers,
} from "./run.js";
import { takeOutcome } from "./settle.js";
import { findDestination } from "./store.js";
import type { OutgoingTransaction } from "./transaction.js";
import type { WakeUp } from "./wake-up.js";

// A lease run: what one node does for one destination while it holds the destination's lease.
//
//   reach, unless the last attempt succeeded --> choose
//   choose --stored--> sent --answered--> settle --> choose ...            several in flight, each for other recipients
//                        |  --no answer, 5xx, 429, 403--> backoff; the transaction keeps its id and its messages
//                        |  --400, 413, 415, 422--> choose again in the plain form, then half as many; delay a message that
//                        |                          stands alone
//                        |  --2xx that settles nothing--> delay
//                        |  --401, or the code of a refused token--> sent once more, with a new token
//                        '  --409--> choose again under a new id
//   choose --nothing left--> linger --nothing new--> idle
//
// Every transaction is stored before it is sent. Transactions take the rows in their order, and a row whose recipient has a
// message in flight waits with all rows behind it, so each recipient's messages arrive in order no matter which answer comes first.
// Where many messages wait, a full transaction is stored and encoded while another one is in flight, and sent once that one
// is answered:
//
//   sent:    1 ------> 2 ---------------> 3 ---------------> 4
//   stored:  1 | 1,2 | 2,3 (1 is settled) | 3,4 (2 is settled) | ...
//
// A delayed transaction stays stored and is sent again at a time of its own, also by other runs. Its recipients are held until it
// is answered or forgotten, so no other message reaches them before.
//
// Rows are deleted only after the answer. If a run breaks off at any point, the next run, on any node, sends the stored
// transactions again in their order, and the peer recognises the transactions by their ids or the messages by their tags.
// Where an answer changes what comes next (a recipient is deferred, a message is gone), the run waits until nothing is in
// flight, forgets what is stored and not sent, and chooses new ids for the rest.

const longestIdleCheckMillis = 1000;

/** Delivers to one destination until nothing is left, an attempt fails, or it must yield. Ends the lease. */
export async function runLease(
  lease: Lease,
  { claimed, wakeUp }: { claimed: Claimed; wakeUp: WakeUp },
  deps: DeliveryDeps,
): Promise<void> {
  const run = newRun(lease, claimed, { wakeUp, nowMillis: deps.clock.nowMillis() });
  try {
    let step = await begin(run, deps);
    while (step === "on" && !deps.abandoned()) step = await takeStep(run, deps);
  } finally {
    if (!deps.abandoned()) await run.inFlight.ended();
    freeNext(run);
  }
}

async function begin(run: LeaseRun, deps: DeliveryDeps): Promise<Step> {
  const end = endOf(run, deps);
  return end === undefined ? reach(run, deps) : end();
}

/**
 * Calls a destination whose last attempt failed, or which was never reached, before any message is read for it: while the
 * call waits, the run occupies a slot and no memory. Of any other it only needs what it offers, which is remembered.
 */
async function reach(run: LeaseRun, deps: DeliveryDeps): Promise<Step> {
  try {
    if (run.unreached || run.failures > 0) await deps.calls.reach(run.domain);
    useOffers(run, await deps.calls.offers(run.domain), deps.config);
    return "on";
  } catch (error) {
    const problem = problemOf(error);
    if (deps.abandoned()) return "over";
    deps.metrics.count("federated_transactions_failed");
    return fail(run, { problem, retryAfterSeconds: null }, deps);
  }
}

async function takeStep(run: LeaseRun, deps: DeliveryDeps): Promise<Step> {
  const { inFlight } = run;
  const answer = inFlight.takeAnswer();
  if (answer !== undefined) return takeOutcome(run, answer, deps);
  const end = endOf(run, deps);
  const outgoing = end === undefined ? await nextOutgoing(run, deps) : undefined;
  if (outgoing !== undefined) {
    send(run, outgoing, deps);
    return "on";
  }
  if (inFlight.count() === 0) return end === undefined ? rest(run, deps) : end();
  await run.wakeUp.wait();
  return "on";
}

/** How the run ends, if it must end now. Answered transactions are settled before the lease ends. */
function endOf(run: LeaseRun, deps: DeliveryDeps): (() => Promise<Step>) | undefined {
  if (run.newlyReached || deps.shouldYield(run.sent)) {
    return async () => {
      await run.inFlight.settled();
      return releaseAt(run, deps.clock.nowMillis(), deps);
    };
  }
  const problem = deps.blockedReason(run.domain);
  if (problem === undefined) return undefined;
  return async () => {
    await run.inFlight.settled();
    return fail(run, { problem, retryAfterSeconds: null }, deps);
  };
}

function send(run: LeaseRun, outgoing: OutgoingTransaction, deps: DeliveryDeps): void {
  run.sent += 1;
  run.lastLook = null;
  run.inFlight.send(outgoing, () => deliver(run, outgoing, deps));
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
    return parseResponse(answer, { transaction, items, nowMillis: clock.nowMillis() });
  } catch (error) {
    const problem = problemOf(error);
    // The peer has accepted something, and its receipt was too large to read.
    if (error instanceof PeerError && isSuccess(error.status ?? 0)) return { kind: "unreadable", problem };
    return { kind: "failed", problem, retryAfterSeconds: null, overLimit: false };
  }
}

/** Ends the run if nothing can be sent: the queue is empty, or its messages are on hold, expiring, or just arrived. */
async function rest(run: LeaseRun, deps: DeliveryDeps): Promise<Step> {
  const { db, pipelined, clock } = deps;
  await run.inFlight.settled();
  // Holds may have ended.
  if (run.held && run.after > 0) {
    lookAgain(run);
    return "on";
  }
  if (run.sent > 0 && run.lastLook === null && (await linger(run, deps))) return "on";
  if (await releaseIdle(pipelined, run)) return "over";
  if (run.lastLook === null) {
    run.lastLook = (await findDestination(db, run.domain))?.last_position ?? 0;
    lookAgain(run);
    return "on";
  }
  const holdEnd = await firstHoldEnd(db, run.domain);
  const nowMillis = clock.nowMillis();
  const nextAttemptMillis = Math.max(nowMillis + 1, holdEnd ?? nowMillis + longestIdleCheckMillis);
  const { domain, leaseId, lastLook: seen } = run;
  await releaseHeld(db, { domain, leaseId, nextAttemptMillis, nowMillis, seen });
  return "over";
}

/**
 * Waits for more messages, since giving the lease up and taking it again costs more than a message. Whether there are some, or
 * another reason to go on.
 */
async function linger(run: LeaseRun, { config, abandoned, shouldYield }: DeliveryDeps): Promise<boolean> {
  if (run.behind === "nothing") await run.wakeUp.wait(config.outboxLingerMillis);
  if (abandoned() || shouldYield(Number.POSITIVE_INFINITY)) return false;
  if (run.wakeUp.takeMessages()) run.behind = "unknown";
  return run.behind !== "nothing";
}
