import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { ChainWork } from "../protocol/hash-chain.js";

/** One worker thread of the proof pool. */
export interface ProofThread {
  /** Advances up to four chains. One call at a time. Rejects if the thread dies; it is of no use after that. */
  run(work: readonly ChainWork[]): Promise<Uint8Array[]>;
  stop(): Promise<void>;
}

/** Starts a thread. It keeps the process alive only while it works. */
export function startProofThread(): ProofThread {
  const worker = startWorker();
  worker.unref();
  return {
    run(work) {
      worker.ref();
      return answerOf(worker, work).finally(() => worker.unref());
    },
    async stop() {
      await worker.terminate();
    },
  };
}

/** Built code runs as it is; sources, as in tests and development, need a loader for TypeScript in the thread as well. */
function startWorker(): Worker {
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(new URL("./proof-worker.js", import.meta.url), { execArgv: [] });
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return new Worker(new URL("./proof-worker.ts", import.meta.url), { execArgv: ["--import", loader] });
}

function answerOf(worker: Worker, work: readonly ChainWork[]): Promise<Uint8Array[]> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      finish();
    };
    const onMessage = (states: Uint8Array[]) => settle(() => resolve(states));
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new Error("A proof thread ended while it was working")));
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    worker.postMessage(work);
  });
}
