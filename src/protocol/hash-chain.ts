// Runs hash chains, state = SHA-256(state), by the fastest means that the platform has: WebAssembly with SIMD for several
// chains at once, plain WebAssembly for a single one, and JavaScript where there is neither.

import { loopOfFourChains, loopOfOneChain } from "./hash-loops.js";
import { initialHash, paddingWords, roundConstants } from "./sha256-constants.js";

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

type Eight = readonly [number, number, number, number, number, number, number, number];
const initialWords = Array.from(initialHash) as unknown as Eight;

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
  return chainsOf((await compile(loopOfOneChain, 1)) ?? hashRepeatedly, undefined);
}

async function compileBest(): Promise<HashChains> {
  const one = (await compile(loopOfOneChain, 1)) ?? hashRepeatedly;
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

/** SHA-256 of a 32-byte message, again and again (FIPS 180-4, section 6.2.2). About half as fast as WebAssembly. */
function hashRepeatedly(state: Int32Array, steps: number): void {
  const schedule = new Int32Array(64);
  schedule.set(state);
  for (let step = 0; step < steps; step++) {
    schedule.set(paddingWords, 8);
    expand(schedule);
    compress(schedule);
  }
  state.set(schedule.subarray(0, 8));
}

function expand(w: Int32Array): void {
  for (let i = 16; i < 64; i++) {
    const old = w[i - 15] as number;
    const recent = w[i - 2] as number;
    const sigma0 = ((old >>> 7) | (old << 25)) ^ ((old >>> 18) | (old << 14)) ^ (old >>> 3);
    const sigma1 = ((recent >>> 17) | (recent << 15)) ^ ((recent >>> 19) | (recent << 13)) ^ (recent >>> 10);
    w[i] = ((w[i - 16] as number) + sigma0 + (w[i - 7] as number) + sigma1) | 0;
  }
}

/** The 64 rounds over a full schedule; the hash replaces its first eight words. */
function compress(w: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = initialWords;
  for (let i = 0; i < 64; i++) {
    const sigma1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const sum = (h + sigma1 + (g ^ (e & (f ^ g))) + (roundConstants[i] as number) + (w[i] as number)) | 0;
    const sigma0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const majority = (a & b) | (c & (a | b));
    h = g;
    g = f;
    f = e;
    e = (d + sum) | 0;
    d = c;
    c = b;
    b = a;
    a = (sum + sigma0 + majority) | 0;
  }
  w[0] = a + initialWords[0];
  w[1] = b + initialWords[1];
  w[2] = c + initialWords[2];
  w[3] = d + initialWords[3];
  w[4] = e + initialWords[4];
  w[5] = f + initialWords[5];
  w[6] = g + initialWords[6];
  w[7] = h + initialWords[7];
}
