import { type DelayProof, segmentsOf } from "../protocol/delay-proof.js";
import { equalBytes } from "../protocol/encodings.js";
import type { ChainWork } from "../protocol/hash-chain.js";

// What remains to be hashed, and who gets it next. A check is one proof; its segments (one, or 64 with checkpoints) are
// independent hash chains. A chain is `waiting`, or with a thread (`out`) for one chunk, after which it waits again or has
// ended. The first wrong end settles its check, and the check's other chains are forgotten, wherever they are. Older
// checks go first, but every chain that a thread takes may be of another check: four proofs without checkpoints share a
// thread, and one proof with checkpoints fills all threads.

/** One proof being checked. `settle` is called once: with the verdict, or with what went wrong in the checking. */
export interface Check {
  waiting: Chain[];
  out: Set<Chain>;
  settle(outcome: { right: boolean } | { failure: unknown }): void;
}

/** A segment on its way: `state` after all but `stepsLeft` of its hashes. */
export interface Chain {
  check: Check;
  state: Uint8Array;
  stepsLeft: number;
  end: Uint8Array;
}

/** A fresh check; its segments are in random order, so that nobody can put a wrong one where it is found last. */
export function newCheck(proof: DelayProof, deps: Pick<Check, "settle"> & { fraction: () => number }): Check {
  const check: Check = { waiting: [], out: new Set(), settle: deps.settle };
  const segments = segmentsOf(proof);
  for (let i = segments.length - 1; i > 0; i--) {
    const j = Math.floor(deps.fraction() * (i + 1));
    [segments[i], segments[j]] = [segments[j] as (typeof segments)[0], segments[i] as (typeof segments)[0]];
  }
  check.waiting = segments.map(({ start, steps, end }) => ({ check, state: start, stepsLeft: steps, end }));
  return check;
}

/** How many chains wait for a thread. */
export function countWaiting(checks: Iterable<Check>): number {
  let count = 0;
  for (const { waiting } of checks) count += waiting.length;
  return count;
}

/** Takes up to `limit` waiting chains out, those of older checks first. */
export function takeChains(checks: Iterable<Check>, limit: number): Chain[] {
  const taken: Chain[] = [];
  for (const check of checks) {
    const some = check.waiting.splice(0, limit - taken.length);
    for (const chain of some) check.out.add(chain);
    taken.push(...some);
    if (taken.length === limit) break;
  }
  return taken;
}

/** What a thread is to do with a chain now: at most `chunk` hashes. */
export function nextChunk(chain: Chain, chunk: number): ChainWork {
  return { state: chain.state, steps: Math.min(chunk, chain.stepsLeft) };
}

/** Takes a chain back at its new state and, when that decides the check, settles it. */
export function returnChain(chain: Chain, { state, steps }: ChainWork): void {
  const { check } = chain;
  check.out.delete(chain);
  chain.state = state;
  chain.stepsLeft -= steps;
  if (chain.stepsLeft > 0) check.waiting.unshift(chain);
  else if (!equalBytes(state, chain.end)) check.settle({ right: false });
  else if (check.waiting.length === 0 && check.out.size === 0) check.settle({ right: true });
}
