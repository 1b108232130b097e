import type { Domain } from "../protocol/address.js";
import { type Room, withRoomAtOnce } from "./in-flight.js";
import { PeerError } from "./peer-calls.js";
import { fill, mostBytesAhead, type Parcel, type Picked, packNext, packStored } from "./sending-parcel.js";
import { settle } from "./sending-settling.js";
import { type Claimed, firstHoldEnd, type Lease, releaseIdle, type StoredTransaction } from "./sending-store.js";
import {
  abandon,
  choiceAfter,
  dropNext,
  fail,
  lastOf,
  releaseAt,
  type SendingNeeds,
  type Step,
  type Turn,
} from "./sending-turn.js";
import { type Answered, judgeAnswer, type NotAnswered, type SentItem, type Verdict } from "./sending-verdict.js";
import { beginNext, beginTransaction, measureWaiting } from "./shipment-store.js";

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
export async function takeTurn(lease: Lease, claimed: Claimed, needs: SendingNeeds): Promise<void> {
  const turn: Turn = {
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
    for (let transactions = 0; !needs.abandoned(); transactions += 1) {
      const obstacle = needs.obstacle(turn.domain);
      const yields = turn.newlyReached || needs.shouldYield(transactions);
      // What was answered is settled before the lease ends.
      if (yields || obstacle !== undefined) await dropAhead(turn);
      if (yields) return await releaseAt(turn, needs.clock.nowMillis(), needs);
      if (obstacle !== undefined) return await fail(turn, { problem: obstacle, retryAfterSeconds: null }, needs);
      if (transactions === 0 && !(await isThere(turn, needs))) return;
      if ((await takeStep(turn, needs)) === "over") return;
    }
  } finally {
    turn.next?.room.free();
    await dropAhead(turn).catch(() => undefined);
  }
}

/**
 * Who was never reached, or not the last time, is called before anything is read for it: while it is waited for, nothing is
 * held but its place. False where it is not there, or the node has given the turn up; the lease has ended then.
 */
async function isThere(turn: Turn, needs: SendingNeeds): Promise<boolean> {
  if (!turn.unreached && turn.failures === 0) return true;
  try {
    await needs.calls.reach(turn.domain);
    return !needs.abandoned();
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    if (needs.abandoned()) return false;
    needs.metrics.count("federated_transactions_failed");
    await fail(turn, { problem: problemOf(error), retryAfterSeconds: null }, needs);
    return false;
  }
}

/** Waits for what is being settled and stored; what is stored stays so. */
async function dropAhead(turn: Turn): Promise<void> {
  const { ahead } = turn;
  turn.ahead = undefined;
  (await ahead)?.room.free();
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
  const { domain } = turn;
  const pending = turn.pending.shift();
  if (pending === undefined) return undefined;
  const { positions } = pending;
  const { count, bytes } = await measureWaiting(db, { domain, positions, now: clock.nowSeconds() });
  if (count === positions.length) return { ...pending, bytes, messages: undefined };
  turn.pending = [];
  return undefined;
}

/** The messages are read at once, where there is room for them: then one trip less lies before they are sent. */
async function choose(turn: Turn, needs: SendingNeeds): Promise<Picked | undefined> {
  return withRoomAtOnce(needs.inFlight, mostBytesAhead, async (room) => {
    const choice = choiceAfter(turn, turn.after, needs);
    const limit = turn.transactionLimit ?? choice.limit;
    const chosen = await beginTransaction(needs.lanes, { ...choice, limit, room: room?.bytes() ?? 0 });
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
  if (needs.abandoned()) return "over";
  await abandon(turn, needs);
  return "on";
}

async function send(turn: Turn, parcel: Parcel, needs: SendingNeeds): Promise<Step> {
  const { items, transaction, room } = parcel;
  turn.ahead ??= prepareNext(turn, parcel, needs);
  const [sent, prepared] = await Promise.allSettled([
    deliver(turn, parcel, needs).finally(() => room.free()),
    turn.ahead,
  ]);
  turn.ahead = undefined;
  if (prepared.status === "rejected") throw prepared.reason;
  turn.next = prepared.value;
  if (sent.status === "rejected") throw sent.reason;
  const verdict = sent.value;
  if (verdict === undefined || needs.abandoned()) return "over";
  if (verdict.kind === "answered") return settle(turn, { verdict, items }, needs);
  const stored = turn.next === undefined ? [transaction] : [transaction, turn.next.transaction];
  dropNext(turn);
  needs.metrics.count("federated_transactions_failed");
  return notAnswered(turn, { verdict, items, stored }, needs);
}

/**
 * With recipients that are held, or in transactions of another size than usual, nothing is prepared. Never throws: what
 * cannot be prepared is chosen in its turn.
 */
async function prepareNext(turn: Turn, { items }: Parcel, needs: SendingNeeds): Promise<Parcel | undefined> {
  if (turn.held || turn.transactionLimit !== null) return undefined;
  const stored = turn.pending.shift();
  if (stored !== undefined) return packStored(turn.domain, stored, needs).catch(() => undefined);
  if (items.length !== needs.limits.outboxTransactionMessages) return undefined;
  const choice = choiceAfter(turn, Math.max(turn.after, lastOf(items)), needs);
  const begin = async (room: Room | undefined) =>
    room === undefined ? undefined : beginNext(needs.lanes, { ...choice, room: room.bytes() });
  return packNext(turn.domain, begin, needs).catch(() => undefined);
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

async function notAnswered(
  turn: Turn,
  { verdict, items, stored }: { verdict: NotAnswered; items: SentItem[]; stored: StoredTransaction[] },
  needs: SendingNeeds,
): Promise<Step> {
  if (verdict.kind === "failed") return fail(turn, verdict, needs).then(() => "over");
  if (verdict.kind === "unacceptable") return split(turn, items, needs);
  turn.instantRetries += 1;
  const tooOften = turn.instantRetries > mostInstantRetries;
  if (verdict.kind === "conflict") {
    await abandon(turn, needs);
  } else {
    turn.pending = stored;
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
    return settle(turn, { verdict, items }, needs);
  }
  turn.transactionLimit = Math.ceil(items.length / 2);
  await abandon(turn, needs);
  return "on";
}
