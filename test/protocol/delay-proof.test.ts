import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import {
  computeDelayProof,
  delayProofInput,
  firstState,
  segmentStart,
  segmentsOf,
} from "../../src/protocol/delay-proof.js";
import { encodeHex } from "../../src/protocol/encodings.js";
import { advanceEach, bestHashChains, type HashChains, singleHashChain } from "../../src/protocol/hash-chain.js";

const input = delayProofInput(new Uint8Array(32).fill(1), new Uint8Array(32).fill(2));
const engines = [
  { engine: "WebAssembly", chains: await bestHashChains() },
  { engine: "WebAssembly for one chain", chains: await singleHashChain() },
  { engine: "plain JavaScript", chains: await chainsWithoutWebAssembly() },
];

/** Where the platform has no WebAssembly. The module is loaded again, since it compiles once. */
async function chainsWithoutWebAssembly(): Promise<HashChains> {
  vi.resetModules();
  vi.stubGlobal("WebAssembly", undefined);
  const { bestHashChains: best } = await import("../../src/protocol/hash-chain.js");
  return best().finally(() => vi.unstubAllGlobals());
}

function hashedByNode(state: Uint8Array, times: number): Uint8Array {
  let hash = state;
  for (let i = 0; i < times; i++) hash = createHash("sha256").update(hash).digest();
  return Uint8Array.from(hash);
}

test.each(engines)("chains in $engine hash as the platform's own SHA-256 does", ({ chains }) => {
  const state = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const work = fc.array(fc.record({ state, steps: fc.nat({ max: 40 }) }), { maxLength: 4 });
  fc.assert(
    fc.property(work, (pieces) => {
      const expected = pieces.map((piece) => hashedByNode(piece.state, piece.steps));
      expect(advanceEach(chains, pieces).map(encodeHex)).toEqual(expected.map(encodeHex));
    }),
  );
});

test.each(engines)("a long run in $engine, of one chain and of four, is right", ({ chains }) => {
  const states = [1, 2, 3, 4].map((fill) => new Uint8Array(32).fill(fill));
  const expected = states.map((state) => hashedByNode(state, 20_000)).map(encodeHex);
  expect(chains.advance(states, 20_000).map(encodeHex)).toEqual(expected);
  expect(chains.advance(states.slice(0, 1), 20_000).map(encodeHex)).toEqual(expected.slice(0, 1));
});

test("a proof is SHA-256 of challenge and key, hashed again as often as asked", async () => {
  const { output, checkpoints } = await computeDelayProof({ input, iterations: 1000 });
  expect(checkpoints).toBeUndefined();
  expect(encodeHex(output)).toBe(encodeHex(hashedByNode(firstState(input), 1000)));
  expect(encodeHex(firstState(input))).toBe(createHash("sha256").update(input).digest("hex"));
});

test("checkpoint i is the state after i times a 64th of the iterations, rounded down", async () => {
  for (const iterations of [0, 1, 63, 64, 1000]) {
    const { output, checkpoints } = await computeDelayProof({ input, iterations, checkpoints: true });
    const states = Array.from({ length: 63 }, (_, i) =>
      hashedByNode(firstState(input), Math.floor(((i + 1) * iterations) / 64)),
    );
    expect(checkpoints?.map(encodeHex)).toEqual(states.map(encodeHex));
    expect(encodeHex(output)).toBe(encodeHex(hashedByNode(firstState(input), iterations)));
  }
});

test("the segments of a proof cover its iterations without a gap and differ by at most one", () => {
  fc.assert(
    fc.property(fc.nat({ max: 80_000_000 }), (iterations) => {
      const checkpoints = Array.from({ length: 63 }, () => new Uint8Array(32));
      const steps = segmentsOf({ input, iterations, output: new Uint8Array(32), checkpoints }).map((s) => s.steps);
      expect(steps).toHaveLength(64);
      expect(steps.reduce((a, b) => a + b)).toBe(iterations);
      expect(Math.max(...steps) - Math.min(...steps)).toBeLessThanOrEqual(1);
      expect([segmentStart(0, iterations), segmentStart(64, iterations)]).toEqual([0, iterations]);
    }),
  );
});

test("a proof with too few checkpoints is no proof", () => {
  const proof = { input, iterations: 64, output: new Uint8Array(32), checkpoints: [new Uint8Array(32)] };
  expect(() => segmentsOf(proof)).toThrow(RangeError);
});

test("computing tells its progress, and stops when asked to", async () => {
  const seen: number[] = [];
  await computeDelayProof({ input, iterations: 500_000, onProgress: (done) => seen.push(done) });
  expect(seen.length).toBeGreaterThan(1);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen.at(-1)).toBe(500_000);
  const stop = new AbortController();
  const task = {
    input,
    iterations: 80_000_000,
    onProgress: () => stop.abort(new Error("enough")),
    signal: stop.signal,
  };
  await expect(computeDelayProof(task)).rejects.toThrow("enough");
});

test("a slow thread computes in pieces of a few thousand hashes, so that nothing waits long for it", async () => {
  let millis = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (millis += 10));
  const seen: number[] = [];
  await computeDelayProof({ input, iterations: 10_000, onProgress: (done) => seen.push(done) }).finally(() =>
    clock.mockRestore(),
  );
  expect(seen).toEqual([2_500, 5_000, 7_500, 10_000]);
});
