// A thread of the proof pool. It keeps nothing between two messages: it is sent up to four chains, advances them and sends
// their states back. On Linux priorities belong to threads, so this one steps back behind the thread that moves messages;
// elsewhere they belong to processes, and the pool's number of threads has to be restraint enough.

import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { advanceEach, bestHashChains, type ChainWork } from "../protocol/hash-chain.js";

const backgroundPriority = 10;

if (process.platform === "linux") setPriority(0, backgroundPriority);
const chains = await bestHashChains();
parentPort?.on("message", (work: readonly ChainWork[]) => parentPort?.postMessage(advanceEach(chains, work)));
