// A thread of the proof pool. It keeps no state between messages: it receives up to four chains, advances them and sends
// their states back. On Linux priorities belong to threads, so this thread runs behind the one that moves messages.
// Elsewhere priorities belong to processes, and only the number of threads limits the load.

import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { advanceEach, bestHashChains, type ChainWork } from "../protocol/hash-chain.js";

const backgroundPriority = 10;

if (process.platform === "linux") setPriority(0, backgroundPriority);
const chains = await bestHashChains();
parentPort?.on("message", (work: readonly ChainWork[]) => parentPort?.postMessage(advanceEach(chains, work)));
