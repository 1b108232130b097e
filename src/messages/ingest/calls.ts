import type { MessageToMany, Outcome, TransactionalSideEffect } from "../model/types.js";
import { type Answered, isRemote, type Parsed } from "./model/stages.js";

// Calls of one batch, the flushes that they are divided into, and their outcomes.

/** The messages of one call, or of a part of it. */
export interface Call {
  readonly parsed: readonly Parsed[];
  readonly toMany: MessageToMany | undefined;
  readonly sideEffect: TransactionalSideEffect | undefined;
}

/** The messages of one flush. */
export interface Batch {
  readonly parsed: readonly Parsed[];
  readonly sideEffects: readonly SideEffectOfCall[];
}

/** A side effect to be committed together with the messages from one index to another. */
export interface SideEffectOfCall {
  readonly sideEffect: TransactionalSideEffect;
  readonly from: number;
  readonly to: number;
}

/** A side effect with the outcomes of its call, in order. */
export interface DecidedSideEffect {
  readonly sideEffect: TransactionalSideEffect;
  readonly outcomes: readonly Outcome[];
}

export function decidedSideEffects(
  sideEffects: readonly SideEffectOfCall[],
  answers: readonly Answered[],
): readonly DecidedSideEffect[] {
  return sideEffects.map(({ sideEffect, from, to }) => ({
    sideEffect,
    outcomes: answers.slice(from, to).map(({ outcome }) => outcome),
  }));
}

/** The outcomes of each call; `answers` are those of all calls, in order. */
export function outcomesByCall(calls: readonly Call[], answers: readonly Answered[]): Outcome[][] {
  let next = 0;
  return calls.map(({ parsed }) => parsed.map(() => (answers[next++] as Answered).outcome));
}

/**
 * Divides calls, whose messages are `parsed`, into flushes: messages for other servers have separate ones, because
 * these take another round trip. A message to many stays together.
 */
export function batchesOf(calls: readonly Call[], parsed: readonly Parsed[]): readonly Batch[] {
  const isForwarded = (call: Call): boolean => call.parsed.some(isRemote);
  if (!calls.some(isForwarded)) return [{ parsed, sideEffects: sideEffectsOf(calls) }];
  const local = calls.map((call) => (isForwarded(call) ? localPartOf(call) : call));
  const remote = calls.filter(isForwarded).flatMap(forwardedPartOf);
  const batches = [
    { parsed: local.flatMap((call) => call.parsed), sideEffects: sideEffectsOf(local) },
    ...batchesToForward(remote),
  ];
  return batches.filter(({ parsed }) => parsed.length > 0);
}

/** Flushes one batch after the other; the answers are in the order of `parsed`. */
export async function flushInTurn(
  batches: readonly Batch[],
  parsed: readonly Parsed[],
  flush: (batch: Batch) => Promise<readonly Answered[]>,
): Promise<readonly Answered[]> {
  if (batches.length === 1) return flush(batches[0] as Batch);
  const answers = new Map<Parsed, Answered>();
  for (const batch of batches) {
    const answered = await flush(batch);
    batch.parsed.forEach((message, i) => void answers.set(message, answered[i] as Answered));
  }
  return parsed.map((message) => answers.get(message) as Answered);
}

/** The side effect of a call that is divided is left to its caller. */
function localPartOf({ parsed, toMany }: Call): Call {
  const local = toMany === undefined ? parsed.filter((message) => !isRemote(message)) : [];
  return { parsed: local, toMany, sideEffect: undefined };
}

function forwardedPartOf({ parsed, toMany }: Call): readonly Parsed[] {
  return toMany === undefined ? parsed.filter(isRemote) : parsed;
}

/** In the order of their writes. One flush writes all of them or none. */
function sideEffectsOf(calls: readonly Call[]): readonly SideEffectOfCall[] {
  const found: SideEffectOfCall[] = [];
  let from = 0;
  for (const { parsed, sideEffect } of calls) {
    const to = from + parsed.length;
    if (sideEffect !== undefined) found.push({ sideEffect, from, to });
    from = to;
  }
  return found.sort((a, b) => (a.sideEffect.order < b.sideEffect.order ? -1 : 1));
}

/**
 * Divides messages for other servers so that no flush contains both an all-or-nothing message and a message that
 * repeats it or is repeated by it: the outbox may refuse the first after the second has been decided.
 */
function batchesToForward(parsed: readonly Parsed[]): Batch[] {
  if (!parsed.some(({ toMany }) => toMany?.allOrNothing)) return [{ parsed, sideEffects: [] }];
  const flushes: Parsed[][] = [];
  const [keys, keysOfWhole] = [new Set<string>(), new Set<string>()];
  for (const envelopes of byMessage(parsed)) {
    const isWhole = envelopes[0]?.toMany?.allOrNothing === true;
    if (flushes.length === 0 || envelopes.some(({ key }) => (isWhole ? keys : keysOfWhole).has(key))) {
      flushes.push([]);
      keys.clear();
      keysOfWhole.clear();
    }
    flushes.at(-1)?.push(...envelopes);
    for (const { key } of envelopes) for (const set of isWhole ? [keys, keysOfWhole] : [keys]) set.add(key);
  }
  return flushes.map((flushed) => ({ parsed: flushed, sideEffects: [] }));
}

/** The envelopes of each message. */
function byMessage(parsed: readonly Parsed[]): Parsed[][] {
  const messages: Parsed[][] = [];
  for (const one of parsed) {
    const last = messages.at(-1);
    if (one.toMany !== undefined && one.toMany === last?.[0]?.toMany) last.push(one);
    else messages.push([one]);
  }
  return messages;
}
