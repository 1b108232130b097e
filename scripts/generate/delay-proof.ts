import { deflateSync } from "fflate";
import loadWabt from "wabt";
import { initialHash, paddingWords, roundConstants } from "../../src/protocol/sha256-constants.js";
import { writeGenerated } from "./output.js";

// The loop of the delay proof, state = SHA-256(state), in the text format of WebAssembly (core specification 2.0, chapter 6).
// All 64 rounds are unrolled and every word is a local, so that the engine's compiler keeps them in registers; between two
// repetitions nothing touches memory.

/** The instructions of one word: 32 bits, or four times 32 bits side by side, one per chain. */
interface Word {
  type: "i32" | "v128";
  /** Bytes in memory. */
  size: number;
  constant(value: number): string;
  add(a: string, b: string): string;
  xor(a: string, b: string): string;
  and(a: string, b: string): string;
  /** Bit by bit, `a` where the mask has a one and `b` where it has a zero. */
  select(a: string, b: string, mask: string): string;
  rotateRight(word: string, bits: number): string;
  shiftRight(word: string, bits: number): string;
}

const oneChain: Word = {
  type: "i32",
  size: 4,
  constant: (value) => `(i32.const ${value})`,
  add: (a, b) => `(i32.add ${a} ${b})`,
  xor: (a, b) => `(i32.xor ${a} ${b})`,
  and: (a, b) => `(i32.and ${a} ${b})`,
  select: (a, b, mask) => `(i32.xor (i32.and (i32.xor ${a} ${b}) ${mask}) ${b})`,
  rotateRight: (word, bits) => `(i32.rotr ${word} (i32.const ${bits}))`,
  shiftRight: (word, bits) => `(i32.shr_u ${word} (i32.const ${bits}))`,
};

const fourChains: Word = {
  type: "v128",
  size: 16,
  constant: (value) => `(v128.const i32x4 ${value} ${value} ${value} ${value})`,
  add: (a, b) => `(i32x4.add ${a} ${b})`,
  xor: (a, b) => `(v128.xor ${a} ${b})`,
  and: (a, b) => `(v128.and ${a} ${b})`,
  select: (a, b, mask) => `(v128.bitselect ${a} ${b} ${mask})`,
  rotateRight: (word, bits) =>
    `(v128.or ${fourChains.shiftRight(word, bits)} (i32x4.shl ${word} (i32.const ${32 - bits})))`,
  shiftRight: (word, bits) => `(i32x4.shr_u ${word} (i32.const ${bits}))`,
};

/** Writes both modules, compiled, deflated (unrolled code shrinks to a fifth) and in base64, to `generated/delay-proof.ts`. */
export async function writeDelayProof(root: URL): Promise<void> {
  const [one, four] = [await compile(oneChain), await compile(fourChains)];
  const text = [
    "/** WebAssembly, deflated, in base64: `run(n)` replaces the state in `memory` by its SHA-256, `n` times (n > 0). */",
    `export const oneChain = "${one}";`,
    "",
    "/** The same for four chains at once: each word is four lanes, one of each chain. */",
    `export const fourChains = "${four}";`,
  ];
  await writeGenerated(root, "delay-proof.ts", text.join("\n"));
}

async function compile(word: Word): Promise<string> {
  const wabt = await loadWabt();
  const module = wabt.parseWat("delay-proof.wat", moduleText(word), { simd: true });
  try {
    module.validate();
    // fflate gives the same bytes on every version of Node.js, whose own zlib does not.
    return Buffer.from(deflateSync(module.toBinary({}).buffer, { level: 9 })).toString("base64");
  } finally {
    module.destroy();
  }
}

const eight = [0, 1, 2, 3, 4, 5, 6, 7];
const variables = ["$a", "$b", "$c", "$d", "$e", "$f", "$g", "$h"];
const scheduleNames = Array.from({ length: 16 }, (_, i) => `$w${i}`);

function moduleText(word: Word): string {
  const locals = [...variables, ...scheduleNames, "$sum", "$difference", "$lastDifference"];
  return `(module
    (memory (export "memory") 1)
    (func (export "run") (param $steps i32)
      ${locals.map((name) => `(local ${name} ${word.type})`).join(" ")}
      ${eight.map((i) => set(`$w${i}`, `(${word.type}.load offset=${i * word.size} (i32.const 0))`)).join("\n")}
      (loop $next
        ${hashOfState(word).join("\n")}
        (br_if $next (local.tee $steps (i32.sub (local.get $steps) (i32.const 1)))))
      ${eight.map((i) => `(${word.type}.store offset=${i * word.size} (i32.const 0) ${get(`$w${i}`)})`).join("\n")}))`;
}

/** The eight message words are replaced by their hash (FIPS 180-4, section 6.2.2). */
function hashOfState(word: Word): string[] {
  const lines = [
    ...Array.from(paddingWords, (value, i) => set(`$w${8 + i}`, word.constant(value))),
    ...Array.from(initialHash, (value, i) => set(variables[i] as string, word.constant(value))),
    set("$lastDifference", word.xor(get("$b"), get("$c"))),
  ];
  let names = variables;
  for (let t = 0; t < 64; t++) {
    if (t >= 16) lines.push(scheduleWord(word, t));
    lines.push(...compressionRound(word, t, names));
    names = [...names.slice(7), ...names.slice(0, 7)];
  }
  names.forEach((name, i) => {
    lines.push(set(`$w${i}`, word.add(get(name), word.constant(initialHash[i] as number))));
  });
  return lines;
}

/** W[t] = σ1(W[t-2]) + W[t-7] + σ0(W[t-15]) + W[t-16], in a ring of sixteen locals. */
function scheduleWord(word: Word, t: number): string {
  const w = (at: number) => get(`$w${at & 15}`);
  const [old, recent] = [w(t - 15), w(t - 2)];
  const sigma0 = word.xor(word.xor(word.rotateRight(old, 7), word.rotateRight(old, 18)), word.shiftRight(old, 3));
  const sigma1 = word.xor(
    word.xor(word.rotateRight(recent, 17), word.rotateRight(recent, 19)),
    word.shiftRight(recent, 10),
  );
  return set(`$w${t & 15}`, word.add(word.add(w(t), sigma0), word.add(w(t - 7), sigma1)));
}

/**
 * One round. Instead of shifting eight variables along, `names` rotates. Maj(a, b, c) is selected by a xor b, which is the
 * b xor c of the next round: kept in `$lastDifference`, it saves an operation in each.
 */
function compressionRound(word: Word, t: number, names: readonly string[]): string[] {
  const [a, b, , d, e, f, g, h] = names.map(get) as [string, string, string, string, string, string, string, string];
  const [, , , nameOfD = "", , , , nameOfH = ""] = names;
  const bigSigma = (x: string, [i, j, k]: readonly [number, number, number]) =>
    word.xor(word.xor(word.rotateRight(x, i), word.rotateRight(x, j)), word.rotateRight(x, k));
  const input = word.add(word.constant(roundConstants[t] as number), get(`$w${t & 15}`));
  const sum = word.add(word.add(h, input), word.add(bigSigma(e, [6, 11, 25]), word.select(f, g, e)));
  const majority = word.xor(word.and(get("$difference"), get("$lastDifference")), b);
  return [
    set("$sum", sum),
    set("$difference", word.xor(a, b)),
    set(nameOfD, word.add(d, get("$sum"))),
    set(nameOfH, word.add(get("$sum"), word.add(bigSigma(a, [2, 13, 22]), majority))),
    set("$lastDifference", get("$difference")),
  ];
}

function get(name: string): string {
  return `(local.get ${name})`;
}

function set(name: string, value: string): string {
  return `(local.set ${name} ${value})`;
}
