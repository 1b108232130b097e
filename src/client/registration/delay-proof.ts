import {
  computeDelayProof,
  type DelayProof,
  delayProofChunk,
  delayProofSegments,
  firstState,
  segmentStart,
} from "../../protocol/delay-proof.js";
import { loopOfOneChain } from "../../protocol/hash-loops.js";
import { sha256Constants } from "../../protocol/sha256-loop.js";
import { unlessAborted } from "../runtime/abort.js";
import { builtinModule } from "../runtime/builtin-module.js";
import { callBack } from "../runtime/callbacks.js";
import { delayProofWorkerSource } from "./delay-proof-worker-source.js";

export { delayProofInput } from "../../protocol/delay-proof.js";

interface ProofTask {
  /** 64 bytes: the challenge, then the public key. */
  input: Uint8Array;
  iterations: number;
  /** Called from time to time with the number of hashes so far. */
  onProgress?: ((done: number, iterations: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Computes a delay proof with its checkpoints in a worker, at about 0.2 µs per iteration, or half as fast where WebAssembly is forbidden. If no
 * worker can be started
 * (the page's Content-Security-Policy forbids `worker-src blob:`, or Node's permission model does), this thread computes it in short steps. Rejects with
 * the signal's reason if the signal is aborted.
 */
export async function solveDelayProof(task: ProofTask): Promise<DelayProof> {
  task.signal?.throwIfAborted();
  const module = await compile();
  const worker = startWorker();
  if (worker === undefined) return solveHere(task);
  try {
    return await unlessAborted(solveInWorker(worker, module, task), task.signal);
  } catch (failure) {
    if (failure !== noWorker) throw failure;
    return await solveHere(task);
  } finally {
    worker.terminate();
  }
}

function solveHere({ input, iterations, onProgress, signal }: ProofTask): Promise<DelayProof> {
  return computeDelayProof({
    input,
    iterations,
    checkpoints: true,
    ...(onProgress && { onProgress: (done: number) => callBack(onProgress, [done, iterations]) }),
    ...(signal && { signal }),
  });
}

async function compile(): Promise<WebAssembly.Module | undefined> {
  try {
    return await WebAssembly.compile(await loopOfOneChain());
  } catch {
    return undefined;
  }
}

/** The common interface of both platforms' workers. */
interface ProofWorker {
  start(task: unknown, listener: { message(news: WorkerMessage): void; failed(cause: unknown): void }): void;
  terminate(): void;
}

type WorkerMessage = { done: number } | { mark: Int32Array } | { end: true };

/** The worker did not start, so this thread can do the work. */
const noWorker = new Error("no worker could be started");

function solveInWorker(
  worker: ProofWorker,
  module: WebAssembly.Module | undefined,
  task: ProofTask,
): Promise<DelayProof> {
  const { input, iterations, onProgress } = task;
  const marks = Array.from({ length: delayProofSegments }, (_, i) => segmentStart(i + 1, iterations));
  const states: Uint8Array[] = [];
  return new Promise<DelayProof>((resolve, reject) => {
    let isAlive = false;
    const message = (news: WorkerMessage) => {
      isAlive = true;
      if ("done" in news) callBack(onProgress, [news.done, iterations]);
      else if ("mark" in news) states.push(bytesOf(news.mark));
      else resolve({ input, iterations, output: states.pop() as Uint8Array, checkpoints: states });
    };
    const failed = (cause: unknown) => reject(isAlive ? new Error("the proof worker failed", { cause }) : noWorker);
    const words = wordsOf(firstState(input));
    worker.start({ module, constants: sha256Constants, words, marks, chunk: delayProofChunk }, { message, failed });
  });
}

function startWorker(): ProofWorker | undefined {
  const threads = builtinModule<NodeThreads>("node:worker_threads");
  if (threads !== undefined) {
    try {
      return nodeWorker(new threads.Worker(delayProofWorkerSource(), { eval: true, execArgv: [] }));
    } catch {
      return undefined;
    }
  }
  if (typeof Worker === "undefined") return undefined;
  const url = URL.createObjectURL(new Blob([delayProofWorkerSource()], { type: "text/javascript" }));
  try {
    return browserWorker(new Worker(url));
  } catch {
    return undefined;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The functions of Node.js worker threads that are used here. A browser build does not have their types. */
interface NodeThreads {
  Worker: new (source: string, options: { eval: boolean; execArgv: string[] }) => NodeThread;
}

interface NodeThread {
  on(event: "message", listener: (news: WorkerMessage) => void): unknown;
  on(event: "error", listener: (cause: unknown) => void): unknown;
  on(event: "exit", listener: () => void): unknown;
  postMessage(task: unknown): void;
  terminate(): Promise<unknown>;
}

function nodeWorker(worker: NodeThread): ProofWorker {
  return {
    start(task, { message, failed }) {
      worker.on("message", message);
      worker.on("error", failed);
      worker.on("exit", () => failed(new Error("the worker has ended")));
      worker.postMessage(task);
    },
    terminate: () => void worker.terminate(),
  };
}

function browserWorker(worker: Worker): ProofWorker {
  return {
    start(task, { message, failed }) {
      // WebKit may start none and say nothing.
      const silence = setTimeout(failed, 5_000);
      worker.onmessage = (event: MessageEvent<WorkerMessage>) => {
        clearTimeout(silence);
        message(event.data);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        failed(event.message);
      };
      worker.postMessage(task);
    },
    terminate: () => worker.terminate(),
  };
}

/** A state as eight words in native byte order, the form that the hash loop uses. */
function wordsOf(state: Uint8Array): Int32Array {
  const view = new DataView(state.buffer, state.byteOffset, state.length);
  return Int32Array.from({ length: 8 }, (_, i) => view.getInt32(4 * i));
}

function bytesOf(words: Int32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(32));
  words.forEach((word, i) => {
    view.setInt32(4 * i, word);
  });
  return new Uint8Array(view.buffer);
}
