// Runs hash chains, state = SHA-256(state), by the fastest means that the platform has: WebAssembly with SIMD for several
// chains at once, plain WebAssembly for a single one, and JavaScript where there is neither.

import { loopOfFourChains, loopOfOneChain } from "./hash-loops.js";
import { hashRepeatedly, sha256Constants } from "./sha256-loop.js";

/** A chain's state is a hash: 32 bytes. */
export const stateBytes = 32;
/** Maximum number of chains that one call of `advance` takes. */
export const maxChains = 4;

/** Advances up to four independent chains, each by the same number of hashes. */
export interface HashChains {
  /** The states after `steps` (0 to 2^31 - 1) further hashes. Blocks meanwhile: callers pass steps of bounded size. */
  advance(states: readonly Uint8Array[], steps: number): Uint8Array[];
}

/** A chain to be advanced by its own number of hashes. */
export interface ChainWork {
  state: Uint8Array;
  steps: number;
}

/** The states of up to four chains, each after its own number of hashes; the shorter ones drop out on the way. */
export function advanceEach(chains: HashChains, work: readonly ChainWork[]): Uint8Array[] {
  const states = work.map(({ state }) => state);
  const lengths = [...new Set(work.map(({ steps }) => steps))].sort((a, b) => a - b);
  let done = 0;
  for (const length of lengths) {
    const running = work.flatMap(({ steps }, i) => (steps >= length ? [i] : []));
    const advanced = chains.advance(
      running.map((i) => states[i] as Uint8Array),
      length - done,
    );
    running.forEach((i, at) => {
      states[i] = advanced[at] as Uint8Array;
    });
    done = length;
  }
  return states;
}

type Loop = (words: Int32Array, steps: number) => void;
/** A loop that runs this many chains at once, with interleaved words. */
type LaneLoop = { run: Loop; laneCount: number };

let best: Promise<HashChains> | undefined;

/**
 * The best engine for this platform, compiled once and shared: no call of `advance` leaves anything behind. Never fails:
 * what cannot be compiled is done in JavaScript.
 */
export function bestHashChains(): Promise<HashChains> {
  best ??= compileBest();
  return best;
}

/** The best engine for a single chain, which is all that a client needs: a bundle of it leaves the other loop out. */
export async function singleHashChain(): Promise<HashChains> {
  return chainsOf((await compile(loopOfOneChain, 1)) ?? loopInJavaScript, undefined);
}

async function compileBest(): Promise<HashChains> {
  const one = (await compile(loopOfOneChain, 1)) ?? loopInJavaScript;
  return chainsOf(one, await compile(loopOfFourChains, maxChains));
}

function chainsOf(one: Loop, four: Loop | undefined): HashChains {
  return {
    advance(states, steps) {
      if (states.length > maxChains) throw new RangeError(`At most ${maxChains} chains at once`);
      if (steps === 0) return states.map((state) => state.slice());
      if (states.length > 1 && four !== undefined)
        return advanceTogether({ run: four, laneCount: maxChains }, states, steps);
      return states.flatMap((state) => advanceTogether({ run: one, laneCount: 1 }, [state], steps));
    },
  };
}

/** Lays the states out word by word, lane by lane, runs the loop and reads them back. */
function advanceTogether({ run, laneCount }: LaneLoop, states: readonly Uint8Array[], steps: number): Uint8Array[] {
  const words = new Int32Array(8 * laneCount);
  states.forEach((state, lane) => {
    const view = new DataView(state.buffer, state.byteOffset, stateBytes);
    for (let i = 0; i < 8; i++) words[i * laneCount + lane] = view.getInt32(4 * i);
  });
  run(words, steps);
  return states.map((_, lane) => {
    const view = new DataView(new ArrayBuffer(stateBytes));
    for (let i = 0; i < 8; i++) view.setInt32(4 * i, words[i * laneCount + lane] as number);
    return new Uint8Array(view.buffer);
  });
}

async function compile(load: () => Promise<ArrayBuffer>, chains: number): Promise<Loop | undefined> {
  try {
    const { instance } = await WebAssembly.instantiate(await load());
    const { memory, run } = instance.exports as { memory: WebAssembly.Memory; run: (steps: number) => void };
    const shared = new Int32Array(memory.buffer, 0, 8 * chains);
    return (words, steps) => {
      shared.set(words);
      run(steps);
      words.set(shared);
    };
  } catch {
    return undefined;
  }
}

/** About half as fast as WebAssembly. */
const loopInJavaScript: Loop = (words, steps) => hashRepeatedly(words, steps, sha256Constants);
