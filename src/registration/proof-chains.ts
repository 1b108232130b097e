import { type DelayProof, segmentsOf } from "../protocol/delay-proof.js";
import { equalBytes } from "../protocol/encodings.js";
import type { ChainWork } from "../protocol/hash-chain.js";

// Decides which hash chains the threads of the proof pool compute next. A check verifies one proof. The segments of the
// proof (one, or 64 with checkpoints) are independent hash chains. A chain is either `waiting` or `running` on a thread for
// one chunk, after which it waits again or has ended. The first wrong end settles the check and drops its other chains.
// Older checks go first. A thread may take chains of several checks: four proofs without checkpoints share a thread, and
// one proof with checkpoints fills all threads.

/** The verification of one proof. `settle` is called once, with the result or with the error that prevented one. */
export interface Check {
  waiting: Chain[];
  running: Set<Chain>;
  settle(outcome: { right: boolean } | { failure: unknown }): void;
}

/** A segment that is being hashed. `state` is the result of all but the last `stepsLeft` hashes. */
export interface Chain {
  check: Check;
  state: Uint8Array;
  stepsLeft: number;
  end: Uint8Array;
}

/** Starts a check. The segments are shuffled, so that nobody can place a wrong one where it is found last. */
export function newCheck(proof: DelayProof, deps: Pick<Check, "settle"> & { fraction: () => number }): Check {
  const check: Check = { waiting: [], running: new Set(), settle: deps.settle };
  const segments = segmentsOf(proof);
  for (let i = segments.length - 1; i > 0; i--) {
    const j = Math.floor(deps.fraction() * (i + 1));
    [segments[i], segments[j]] = [segments[j] as (typeof segments)[0], segments[i] as (typeof segments)[0]];
  }
  check.waiting = segments.map(({ start, steps, end }) => ({ check, state: start, stepsLeft: steps, end }));
  return check;
}

/** Counts the chains that wait for a thread. */
export function countWaiting(checks: Iterable<Check>): number {
  let count = 0;
  for (const { waiting } of checks) count += waiting.length;
  return count;
}

/** Moves up to `limit` waiting chains to `running`, those of older checks first, and returns them. */
export function takeChains(checks: Iterable<Check>, limit: number): Chain[] {
  const taken: Chain[] = [];
  for (const check of checks) {
    const some = check.waiting.splice(0, limit - taken.length);
    for (const chain of some) check.running.add(chain);
    taken.push(...some);
    if (taken.length === limit) break;
  }
  return taken;
}

/** The next piece of work on a chain: at most `chunk` hashes. */
export function nextChunk(chain: Chain, chunk: number): ChainWork {
  return { state: chain.state, steps: Math.min(chunk, chain.stepsLeft) };
}

/** Takes a chain back in its new state, and settles the check if that decides it. */
export function returnChain(chain: Chain, { state, steps }: ChainWork): void {
  const { check } = chain;
  check.running.delete(chain);
  chain.state = state;
  chain.stepsLeft -= steps;
  if (chain.stepsLeft > 0) check.waiting.unshift(chain);
  else if (!equalBytes(state, chain.end)) check.settle({ right: false });
  else if (check.waiting.length === 0 && check.running.size === 0) check.settle({ right: true });
}
