import { Worker } from "node:worker_threads";
import type { ChainWork } from "../protocol/hash-chain.js";

/** One worker thread of the proof pool. */
export interface ProofThread {
  /** Advances up to four chains. One call at a time. Rejects if the thread dies; it is of no use after that. */
  run(work: readonly ChainWork[]): Promise<Uint8Array[]>;
  stop(): Promise<void>;
}

interface Waiter {
  resolve(states: Uint8Array[]): void;
  reject(failure: unknown): void;
}

/** Starts a thread. It keeps the process alive only while it works. */
export function startProofThread(): ProofThread {
  const worker = startWorker();
  let waiter: Waiter | undefined;
  let failure: unknown;
  worker.unref();
  worker.on("message", (states: Uint8Array[]) => waiter?.resolve(states));
  worker.on("error", (error) => {
    failure = error;
  });
  worker.on("exit", () => {
    failure ??= new Error("The proof thread has ended");
    waiter?.reject(failure);
  });
  return {
    run: (work) =>
      new Promise<Uint8Array[]>((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        waiter = { resolve, reject };
        worker.ref();
        worker.postMessage(work);
      }).finally(() => worker.unref()),
    async stop() {
      await worker.terminate();
    },
  };
}

/** Built code runs as it is; sources, as in tests and development, need a loader for TypeScript in the thread as well. */
function startWorker(): Worker {
  if (!import.meta.url.endsWith(".ts")) {
    return new Worker(new URL("./proof-worker.js", import.meta.url), { execArgv: [] });
  }
  const loader = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const source = JSON.stringify(new URL("./proof-worker.ts", import.meta.url).href);
  const start = `import(${loader}).then((loader) => { loader.register(); return import(${source}); })`;
  return new Worker(start, { eval: true, execArgv: [] });
}
