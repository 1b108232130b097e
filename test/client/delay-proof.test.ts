import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { solveDelayProof } from "../../src/client/registration/delay-proof.js";
import { computeDelayProof } from "../../src/protocol/delay-proof.js";

const input = new Uint8Array(randomBytes(64));

test("the worker's proof is the one that the protocol computes, with all checkpoints", async () => {
  for (const iterations of [1, 63, 64, 1_000, 250_001]) {
    const proof = await solveDelayProof({ input, iterations });
    expect(proof).toEqual(await computeDelayProof({ input, iterations, checkpoints: true }));
  }
});

test("the thread that asked goes on with other work, and hears of the progress", async () => {
  const heard: number[] = [];
  let turns = 0;
  const ticking = setInterval(() => turns++, 5);
  await solveDelayProof({ input, iterations: 2_000_000, onProgress: (done) => heard.push(done) });
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(5);
  expect(heard.at(-1)).toBe(2_000_000);
  expect(heard).toEqual([...heard].sort((a, b) => a - b));
  expect(heard.length).toBeGreaterThan(9);
});

test("an aborted proof ends at once, with the reason", async () => {
  const stop = new AbortController();
  const reason = new Error("the user went away");
  const heard: number[] = [];
  const proof = solveDelayProof({
    input,
    iterations: 80_000_000,
    signal: stop.signal,
    onProgress: (done) => {
      heard.push(done);
      stop.abort(reason);
    },
  });
  await expect(proof).rejects.toBe(reason);
  expect(heard.at(-1)).toBeLessThan(80_000_000);
  await expect(solveDelayProof({ input, iterations: 1, signal: stop.signal })).rejects.toBe(reason);
});
