// The loop of the delay proof, state = SHA-256(state), as WebAssembly that is written by this code when it is needed: no
// compiler at install time, no binary in the repository. All rounds are unrolled and live in locals, so that the engine's
// compiler keeps them in registers; between two turns nothing touches memory.

import { initialHash, paddingWords, roundConstants } from "./sha256-constants.js";
import { type Code, get, moduleOf, repeat, scalarWords, set, simdWords, type Words } from "./wasm-assembler.js";

/** How many independent chains the loop runs side by side: one, or four by SIMD. */
export type ChainCount = 1 | 4;

const counter = 0;
const firstVariable = 1;
const firstWord = 9;
const round = { sum: 25, difference: 26, lastDifference: 27 };
const localCount = 27;

/**
 * A module whose `run(n)` replaces the state at the start of `memory` by its SHA-256, `n` times (n > 0). The state is
 * eight 32-bit words, native byte order; with four chains each word is four lanes, one of each chain.
 */
export function delayProofModule(chains: ChainCount): Uint8Array<ArrayBuffer> {
  const words = chains === 1 ? scalarWords : simdWords;
  const eight = Array.from({ length: 8 }, (_, i) => i);
  const body = [
    ...eight.flatMap((i) => set(firstWord + i, words.load(i * words.size))),
    ...repeat(counter, hashOfState(words)),
    ...eight.flatMap((i) => words.store(i * words.size, get(firstWord + i))),
  ];
  return moduleOf({ valueType: words.valueType, localCount, body });
}

/** One turn: the eight message words are replaced by their hash (FIPS 180-4, section 6.2.2). */
function hashOfState(words: Words): Code {
  const code: number[] = [];
  for (const [i, value] of paddingWords.entries()) code.push(...set(firstWord + 8 + i, words.constant(value)));
  for (const [i, value] of initialHash.entries()) code.push(...set(firstVariable + i, words.constant(value)));
  code.push(...set(round.lastDifference, words.xor(get(firstVariable + 1), get(firstVariable + 2))));
  let names = Array.from({ length: 8 }, (_, i) => firstVariable + i);
  for (let t = 0; t < 64; t++) {
    if (t >= 16) code.push(...scheduleWord(words, t));
    code.push(...compressionRound(words, t, names));
    names = [...names.slice(7), ...names.slice(0, 7)];
  }
  names.forEach((local, i) => {
    code.push(...set(firstWord + i, words.add(get(local), words.constant(initialHash[i] as number))));
  });
  return code;
}

/** W[t] = σ1(W[t-2]) + W[t-7] + σ0(W[t-15]) + W[t-16], in a ring of sixteen locals. */
function scheduleWord(words: Words, t: number): Code {
  const word = (at: number) => firstWord + (at & 15);
  const [old, recent] = [word(t - 15), word(t - 2)];
  const sigma0 = words.xor(words.xor(words.rotateRight(old, 7), words.rotateRight(old, 18)), words.shiftRight(old, 3));
  const sigma1 = words.xor(
    words.xor(words.rotateRight(recent, 17), words.rotateRight(recent, 19)),
    words.shiftRight(recent, 10),
  );
  return set(word(t), words.add(words.add(get(word(t)), sigma0), words.add(get(word(t - 7)), sigma1)));
}

/**
 * One round. Instead of shifting eight variables along, `names` rotates; and Maj(a, b, c) is chosen by a xor b, which is
 * the b xor c of the next round: kept in `lastDifference`, it saves an operation in each.
 */
function compressionRound(words: Words, t: number, names: readonly number[]): Code {
  const [a, b, , d, e, f, g, h] = names as [number, number, number, number, number, number, number, number];
  const bigSigma = (local: number, [x, y, z]: readonly [number, number, number]) =>
    words.xor(words.xor(words.rotateRight(local, x), words.rotateRight(local, y)), words.rotateRight(local, z));
  const choice = words.select(get(f), get(g), get(e));
  const input = words.add(words.constant(roundConstants[t] as number), get(firstWord + (t & 15)));
  const sum = words.add(words.add(get(h), input), words.add(bigSigma(e, [6, 11, 25]), choice));
  const majority = words.xor(words.and(get(round.difference), get(round.lastDifference)), get(b));
  return [
    ...set(round.sum, sum),
    ...set(round.difference, words.xor(get(a), get(b))),
    ...set(d, words.add(get(d), get(round.sum))),
    ...set(h, words.add(get(round.sum), words.add(bigSigma(a, [2, 13, 22]), majority))),
    ...set(round.lastDifference, get(round.difference)),
  ];
}
