// The delay proof. A device that registers shows that it spent time: it hashes a challenge again and again, which nobody
// can do in parallel. With checkpoints, states noted on the way, the server can check the pieces in parallel.
//
//   state = SHA-256(challenge ‖ public key); `iterations` times: state = SHA-256(state); output = state
//
// Checkpoint i (1 to 63) is the state after floor(i × iterations / 64) of those repeated hashes. So a proof has 64
// segments: from the first state over the 63 checkpoints to the output, of lengths that differ by at most one.

import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes } from "./encodings.js";
import { type HashChains, singleHashChain } from "./hash-chain.js";

export const delayProofSegments = 64;
const inputPartBytes = 32;
const delayProofCheckpoints: number = delayProofSegments - 1;
/** Hashes in one piece of work for another thread: about 35 ms. */
export const delayProofChunk = 200_000;

/** How long other work of the thread waits: half of a frame, so that a page stays smooth also where it has to use JavaScript. */
const longestTurnMillis = 8;
/** Hashes between two looks at the clock, a millisecond or two. */
const shortPiece = 2_500;

export interface DelayProof {
  /** 64 bytes: the challenge, then the public key. */
  input: Uint8Array;
  iterations: number;
  /** 32 bytes. */
  output: Uint8Array;
  /** 63 states of 32 bytes. */
  checkpoints?: readonly Uint8Array[] | undefined;
}

/** A piece of a proof: hashing `start` `steps` times must give `end`. */
interface DelayProofSegment {
  start: Uint8Array;
  steps: number;
  end: Uint8Array;
}

interface DelayProofTask {
  input: Uint8Array;
  iterations: number;
  /** Note the 63 checkpoints on the way. */
  checkpoints?: boolean;
  /** Called from time to time with the number of hashes done so far. */
  onProgress?: (done: number) => void;
  signal?: AbortSignal;
}

/** The proof's input: challenge (32 bytes) and public key (32 bytes), one after the other. RangeError for other lengths. */
export function delayProofInput(challenge: Uint8Array, publicKey: Uint8Array): Uint8Array {
  for (const { length } of [challenge, publicKey])
    if (length !== inputPartBytes) throw new RangeError(`a part of ${length} bytes`);
  return concatBytes(challenge, publicKey);
}

/** The state before the first repetition: SHA-256 of the input. */
export function firstState(input: Uint8Array): Uint8Array {
  return sha256(input);
}

/** After how many repeated hashes segment `i` begins; `i` = 64 is the end of the last one. */
export function segmentStart(i: number, iterations: number): number {
  return Math.floor((i * iterations) / delayProofSegments);
}

/** The segments to be checked: 64 where the proof has checkpoints, else one. RangeError unless there are 63 of them. */
export function segmentsOf({ input, iterations, output, checkpoints }: DelayProof): DelayProofSegment[] {
  const start = firstState(input);
  if (checkpoints === undefined) return [{ start, steps: iterations, end: output }];
  if (checkpoints.length !== delayProofCheckpoints)
    throw new RangeError(`A proof has ${delayProofCheckpoints} checkpoints`);
  const states = [start, ...checkpoints, output];
  return Array.from({ length: delayProofSegments }, (_, i) => ({
    start: states[i] as Uint8Array,
    steps: segmentStart(i + 1, iterations) - segmentStart(i, iterations),
    end: states[i + 1] as Uint8Array,
  }));
}

/**
 * Computes a proof, in chunks between which other work of the thread goes on. Takes about 0.2 µs for each iteration.
 * Rejects with the signal's reason when it is aborted.
 */
export async function computeDelayProof(task: DelayProofTask): Promise<DelayProof> {
  const { input, iterations } = task;
  const walk = { chains: await singleHashChain(), task, done: 0, state: firstState(input) };
  const checkpoints: Uint8Array[] = [];
  if (task.checkpoints === true) {
    for (let i = 1; i < delayProofSegments; i++) checkpoints.push(await walkTo(walk, segmentStart(i, iterations)));
  }
  const output = await walkTo(walk, iterations);
  return { input, iterations, output, ...(task.checkpoints === true ? { checkpoints } : {}) };
}

interface Walk {
  chains: HashChains;
  task: DelayProofTask;
  done: number;
  state: Uint8Array;
}

async function walkTo(walk: Walk, target: number): Promise<Uint8Array> {
  while (walk.done < target) {
    const until = performance.now() + longestTurnMillis;
    do {
      const steps = Math.min(shortPiece, target - walk.done);
      [walk.state] = walk.chains.advance([walk.state], steps) as [Uint8Array];
      walk.done += steps;
    } while (walk.done < target && performance.now() < until);
    walk.task.onProgress?.(walk.done);
    await nextTurn();
    walk.task.signal?.throwIfAborted();
  }
  return walk.state;
}

/** By a message in a page: there, timers run late, and only once a second in the background. */
function nextTurn(): Promise<void> {
  if (typeof document === "undefined") return new Promise((resolve) => setTimeout(resolve, 0));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
