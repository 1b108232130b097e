import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import fc from "fast-check";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { createSystemRandom } from "../../src/platform/random.js";
import {
  computeDelayProof,
  type DelayProof,
  delayProofChunk,
  delayProofInput,
} from "../../src/protocol/delay-proof.js";
import { RelayError } from "../../src/protocol/errors.js";
import { advanceEach, bestHashChains, maxChains } from "../../src/protocol/hash-chain.js";
import {
  type Chain,
  type Check,
  newCheck,
  nextChunk,
  returnChain,
  takeChains,
} from "../../src/registration/proof-chains.js";
import { createProofPool, type ProofPool } from "../../src/registration/proof-pool.js";

const input = new Uint8Array(64).fill(7);
const zeros = new Uint8Array(32);
const random = createSystemRandom();
const logger = pino({ level: "silent" });
const small = await computeDelayProof({ input, iterations: 10_000, checkpoints: true });
const plain = { ...small, checkpoints: undefined };
const endless = { input, iterations: 80_000_000, output: zeros };

let pool: ProofPool | undefined;

function startPool(options: { workers?: number; queueLimit?: number } = {}): ProofPool {
  pool = createProofPool({ workers: 2, queueLimit: 100, logger, random, ...options });
  return pool;
}

afterEach(async () => {
  await pool?.stop();
});

test("accepts a correct proof, with and without checkpoints", async () => {
  const { verify } = startPool();
  expect(await Promise.all([verify(small), verify(plain)])).toEqual([true, true]);
});

test("finds a wrong output and a wrong checkpoint", async () => {
  const { verify } = startPool();
  const twisted = { ...small, checkpoints: small.checkpoints?.map((state, i) => (i === 40 ? zeros : state)) };
  const proofs = [twisted, { ...small, output: zeros }, { ...plain, output: zeros }, { ...plain, iterations: 9999 }];
  expect(await Promise.all(proofs.map(verify))).toEqual([false, false, false, false]);
});

test("each of many concurrent proofs, correct or wrong and of different lengths, gets its own result", async () => {
  const { verify, queued } = startPool();
  const expected = Array.from({ length: 24 }, (_, i) => i % 4 !== 1);
  const cases = await Promise.all(
    expected.map(async (isRight, i) => {
      const proof = await computeDelayProof({ input, iterations: 300 * i + (i % 7), checkpoints: i % 3 === 0 });
      return isRight ? proof : { ...proof, output: zeros };
    }),
  );
  const results = Promise.all(cases.map(verify));
  expect(queued()).toBe(24);
  expect(await results).toEqual(expected);
  expect(queued()).toBe(0);
});

test("a proof with any single bit turned, in a checkpoint or in the output, is wrong", async () => {
  const { verify } = startPool();
  const proof = await computeDelayProof({ input, iterations: 130, checkpoints: true });
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 63 }), fc.nat({ max: 255 }), async (state, bit) => {
      expect(await verify(withBitTurned(proof, state, bit))).toBe(false);
    }),
  );
  expect(await verify(proof)).toBe(true);
});

/** The proof with one bit of its i-th state turned; the 64th is the output. */
function withBitTurned(proof: DelayProof, i: number, bit: number): DelayProof {
  const states = [...(proof.checkpoints ?? []), proof.output].map((state) => state.slice());
  const state = states[i] as Uint8Array;
  state[bit >> 3] = (state[bit >> 3] as number) ^ (1 << (bit & 7));
  return { ...proof, checkpoints: states.slice(0, 63), output: states[63] as Uint8Array };
}

test("a proof for another key, or of other length, is wrong", async () => {
  const { verify } = startPool();
  const keyed = delayProofInput(zeros, new Uint8Array(32).fill(2));
  const proof = await computeDelayProof({ input: keyed, iterations: 130 });
  expect(await verify(proof)).toBe(true);
  expect(await verify({ ...proof, input: delayProofInput(zeros, new Uint8Array(32).fill(3)) })).toBe(false);
  expect(await verify({ ...proof, iterations: 129 })).toBe(false);
});

test("a proof of more than one chunk of work is verified to its end", async () => {
  const { verify } = startPool();
  const long = await computeDelayProof({ input, iterations: 450_001 });
  expect(await verify(long)).toBe(true);
  expect(await verify({ ...long, iterations: 450_000 })).toBe(false);
});

/** Works a proof off as a thread would, four chains at a time; how many hashes that took. */
async function hashesFor(proof: DelayProof): Promise<{ right: boolean; hashes: number }> {
  const engine = await bestHashChains();
  const results: boolean[] = [];
  const settle: Check["settle"] = (outcome) => void results.push("right" in outcome && outcome.right);
  const check = newCheck(proof, { settle, fraction: random.fraction });
  let hashes = 0;
  while (results.length === 0) {
    const chains = takeChains([check], maxChains);
    const chunks = chains.map((chain) => nextChunk(chain, delayProofChunk));
    for (const { steps } of chunks) hashes += steps;
    const states = advanceEach(engine, chunks);
    chunks.forEach(({ steps }, i) => {
      returnChain(chains[i] as Chain, { state: states[i] as Uint8Array, steps });
    });
  }
  return { right: results[0] === true, hashes };
}

test("a wrong proof with checkpoints costs far fewer hashes than all of it", async () => {
  const right = await computeDelayProof({ input, iterations: 640_000, checkpoints: true });
  const wrong = { ...right, checkpoints: Array.from({ length: 63 }, () => zeros) };
  expect(await hashesFor(right)).toEqual({ right: true, hashes: 640_000 });
  expect(await hashesFor(wrong)).toEqual({ right: false, hashes: 4 * 10_000 });
});

test("proofs without checkpoints share a thread", () => {
  const checks = Array.from({ length: 6 }, () => newCheck(plain, { settle: () => {}, fraction: random.fraction }));
  const shared = takeChains(checks, maxChains);
  expect(shared.map(({ check }) => checks.indexOf(check))).toEqual([0, 1, 2, 3]);
  expect(takeChains(checks, maxChains).map(({ check }) => checks.indexOf(check))).toEqual([4, 5]);
});

test("beyond its limit the pool answers OVERLOADED with Retry-After, and accepts proofs again when one is done", async () => {
  const { verify, queued } = startPool({ queueLimit: 2 });
  const held = [verify(small), verify(small)];
  const refusal = await verify(small).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RelayError);
  expect(refusal).toMatchObject({ id: "OVERLOADED", status: 503, headers: { "Retry-After": "10" } });
  expect(queued()).toBe(2);
  await Promise.all(held);
  expect(await verify(small)).toBe(true);
});

test("an aborted proof makes room for waiting ones at once", async () => {
  const { verify, queued } = startPool({ workers: 1, queueLimit: 2 });
  const stop = new AbortController();
  const aborted = verify({ ...endless, signal: stop.signal }).catch((error: unknown) => error);
  const next = verify(small);
  stop.abort(new Error("the client is gone"));
  expect(await aborted).toMatchObject({ message: "the client is gone" });
  expect(await next).toBe(true);
  expect(queued()).toBe(0);
  await expect(verify({ ...small, signal: stop.signal })).rejects.toThrow("the client is gone");
});

test("a stopped pool refuses running and later proofs", async () => {
  const { verify, stop } = startPool();
  const open = verify(endless);
  const refused = expect(open).rejects.toMatchObject({ id: "OVERLOADED" });
  await stop();
  await refused;
  await expect(verify(small)).rejects.toMatchObject({ id: "OVERLOADED" });
});

test("large proofs being checked leave the event loop to others", async () => {
  const { verify, queued } = startPool();
  const stop = new AbortController();
  const checks = Array.from({ length: 4 }, () => verify({ ...endless, signal: stop.signal }));
  const ends = Promise.allSettled(checks);
  // More turns than the checks have chunks of work: hashed in this thread they would have ended by then.
  const turns = (2 * (4 * endless.iterations)) / delayProofChunk;
  for (let turn = 0; turn < turns; turn++) await nextTurn();
  expect(queued()).toBe(4);
  stop.abort();
  await ends;
});

test.runIf(process.platform === "linux")("the threads step back behind the one that moves messages", async () => {
  const before = getPriority();
  expect(await startPool().verify(small)).toBe(true);
  expect(getPriority()).toBe(before);
  expect(await threadPriorities()).toContain(10);
});

test("an idle pool does not keep its process alive", async () => {
  const script = `
    import { createProofPool } from "./src/registration/proof-pool.ts";
    const pool = createProofPool({ workers: 1, queueLimit: 1, logger: console, random: { fraction: () => 0 } });
    const proof = { input: new Uint8Array(64), iterations: 0, output: new Uint8Array(32) };
    console.log(await pool.verify(proof));`;
  const options = { cwd: new URL("../..", import.meta.url), timeout: 90_000 };
  const args = ["--import", "tsx", "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  expect(stdout.trim()).toBe("false");
});

/** The nice value of each thread of this process: the 17th field after the name in parentheses (proc(5)). */
async function threadPriorities(): Promise<number[]> {
  const tasks = await readdir("/proc/self/task");
  const texts = await Promise.all(
    tasks.map((task) => readFile(`/proc/self/task/${task}/stat`, "utf8").catch(() => "")),
  );
  return texts.map((text) => Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[16]));
}
