import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Logger } from "../platform/logger.js";
import type { Random } from "../platform/random.js";
import { type DelayProof, delayProofChunk } from "../protocol/delay-proof.js";
import { overloaded, type RelayError } from "../protocol/errors.js";
import { type ChainWork, maxChains } from "../protocol/hash-chain.js";
import { type Chain, type Check, countWaiting, newCheck, nextChunk, returnChain, takeChains } from "./proof-chains.js";

/** Verifies delay proofs in worker threads, off the event loop. */
export type ProofPool = ReturnType<typeof createProofPool>;

interface ProofPoolDeps {
  /** Maximum number of threads. 0 means one fewer than there are cores. Threads start when they are first needed. */
  workers: number;
  /** Maximum number of proofs held at a time. */
  queueLimit: number;
  logger: Pick<Logger, "error">;
  random: Pick<Random, "fraction">;
}

const retryAfterSeconds = 10;

/** The number of threads for a configured number. 0 means one fewer than there are cores, but at least one. */
export function proofThreads(configured: number): number {
  return configured > 0 ? configured : Math.max(1, availableParallelism() - 1);
}

/**
 * The pool keeps all state and gives a thread one chunk of work at a time. A wrong proof, an aborted signal or the end of
 * the pool therefore stops the hashing within the time of a chunk, about 60 ms.
 */
export function createProofPool({ workers, queueLimit, logger, random }: ProofPoolDeps) {
  const maxThreads = proofThreads(workers);
  const checks = new Set<Check>();
  const threads = new Set<ProofThread>();
  const idle: ProofThread[] = [];
  let stopped = false;

  function dispatch(): void {
    let waiting = countWaiting(checks);
    while (waiting > 0 && (idle.length > 0 || threads.size < maxThreads)) {
      const free = idle.length + maxThreads - threads.size;
      const chains = takeChains(checks, Math.min(maxChains, Math.ceil(waiting / free)));
      waiting -= chains.length;
      void work(idle.pop() ?? addThread(), chains);
    }
  }

  async function work(thread: ProofThread, chains: readonly Chain[]): Promise<void> {
    try {
      const chunks = chains.map((chain) => nextChunk(chain, delayProofChunk));
      const states = await thread.run(chunks);
      idle.push(thread);
      chunks.forEach(({ steps }, i) => {
        returnChain(chains[i] as Chain, { state: states[i] as Uint8Array, steps });
      });
    } catch (failure) {
      threads.delete(thread);
      if (!stopped) logger.error({ err: failure }, "a proof thread failed");
      for (const { check } of chains) check.settle({ failure });
    }
    if (!stopped) dispatch();
  }

  function addThread(): ProofThread {
    const thread = startProofThread();
    threads.add(thread);
    return thread;
  }

  function check(proof: DelayProof, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const onAbort = () => entry.settle({ failure: signal?.reason });
      const settle: Check["settle"] = (outcome) => {
        checks.delete(entry);
        signal?.removeEventListener("abort", onAbort);
        if ("right" in outcome) resolve(outcome.right);
        else reject(outcome.failure);
      };
      const entry = newCheck(proof, { settle, fraction: random.fraction });
      signal?.addEventListener("abort", onAbort);
      checks.add(entry);
      dispatch();
    });
  }

  return {
    /**
     * Hashes the whole proof again; true if it is correct. Throws OVERLOADED if `queueLimit` proofs are running or waiting, or
     * if the pool stops. Throws the signal's reason if the signal is aborted, and stops hashing.
     */
    async verify({ signal, ...proof }: DelayProof & { signal?: AbortSignal }): Promise<boolean> {
      signal?.throwIfAborted();
      if (stopped || checks.size >= queueLimit) throw tooMany();
      return check(proof, signal);
    },
    /** The number of proofs that are running or waiting. */
    queued: (): number => checks.size,
    /** Ends the threads. Unfinished checks fail with OVERLOADED. */
    async stop(): Promise<void> {
      stopped = true;
      for (const entry of checks) entry.settle({ failure: tooMany() });
      await Promise.all([...threads].map((thread) => thread.stop()));
    },
  };
}

function tooMany(): RelayError {
  return overloaded("too many delay proofs are being verified", retryAfterSeconds);
}

/** One worker thread of the proof pool. */
type ProofThread = ReturnType<typeof startProofThread>;

interface Waiter {
  resolve(states: Uint8Array[]): void;
  reject(failure: unknown): void;
}

/** Starts a thread. It keeps the process alive only while it is working. */
function startProofThread() {
  const worker = startWorker();
  let waiter: Waiter | undefined;
  let failure: unknown;
  worker.unref();
  worker.on("message", (states: Uint8Array[]) => waiter?.resolve(states));
  worker.on("error", (error) => {
    failure = error;
  });
  worker.on("exit", () => {
    failure ??= new Error("the proof thread has ended");
    waiter?.reject(failure);
  });
  return {
    /** Advances up to four chains. One call at a time. Rejects if the thread dies, and on every call after that. */
    run: (work: readonly ChainWork[]): Promise<Uint8Array[]> =>
      new Promise<Uint8Array[]>((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        waiter = { resolve, reject };
        worker.ref();
        worker.postMessage(work);
      }).finally(() => worker.unref()),
    async stop(): Promise<void> {
      await worker.terminate();
    },
  };
}

/** Built code runs directly. TypeScript sources, in tests and development, also need a loader in the thread. */
function startWorker(): Worker {
  if (!import.meta.url.endsWith(".ts")) {
    return new Worker(new URL("./hash-thread.js", import.meta.url), { execArgv: [] });
  }
  const loader = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const source = JSON.stringify(new URL("./hash-thread.ts", import.meta.url).href);
  const start = `import(${loader}).then((loader) => { loader.register(); return import(${source}); })`;
  return new Worker(start, { eval: true, execArgv: [] });
}
