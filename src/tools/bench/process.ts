import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { loadConfig } from "../../platform/config/config.js";
import { boundHeap, usualHeap } from "../../platform/heap.js";
import { createLogger } from "../../platform/logger.js";
import { listenToSteps, type MessageStep } from "../../platform/message-steps.js";
import { createSystemRandom } from "../../platform/random.js";
import { computeDelayProof, type DelayProof } from "../../protocol/delay-proof.js";
import { kibibyte } from "../../protocol/units.js";
import { createProofPool, type ProofPool, proofThreads } from "../../registration/proof-pool.js";
import { createRelay } from "../../relay.js";
import type { Memory } from "./context.js";
import { startPutFloor, startStoringPutFloor } from "./federation/put-floor.js";
import { startFloor } from "./floor.js";

const proofSteps = 2_000_000;
const proofsAtOnce = 8;

/** The measured process: a relay or the bare server. It answers the benchmark's questions over their IPC channel. */
export async function runMeasured(role: string): Promise<void> {
  const server = await startServer(role);
  const proofs = createProving();
  process.on("message", (question) => {
    if (question === "memory") process.send?.(memory());
    else if (question === "trace") trace();
    else if (Array.isArray(question)) process.send?.(question.map((id: string) => traced.get(id) ?? {}));
    else if (question === "processor") process.send?.(cpuMicros());
    else void (question === "prove" ? proofs.start() : proofs.stop()).then(() => process.send?.("done"));
  });
  let ended: Promise<unknown> | undefined;
  const end = (): void => {
    ended ??= Promise.allSettled([server.stop(), proofs.stop()]);
    // The channel would keep this process running; the benchmark may have closed it already.
    void ended.then(() => process.connected && process.disconnect());
  };
  process.once("SIGTERM", end);
  // Ctrl-C reaches every process of a terminal; the benchmark stops the processes that it started.
  process.on("SIGINT", () => {});
  process.once("disconnect", end);
  process.send?.({ port: server.port });
}

function startServer(role: string): Promise<{ port: number; stop(): Promise<void> }> {
  if (role === "floor") return startFloor(process.env["DATABASE_URL"] ?? "");
  if (role === "put") return startPutFloor(process.env);
  return role === "put-stored" ? startStoringPutFloor(process.env) : startNode();
}

async function startNode(): Promise<{ port: number; stop(): Promise<void> }> {
  const config = loadConfig(process.env);
  const relay = createRelay(config, { logger: createLogger({ level: config.logLevel }) });
  const { port } = await relay.start();
  // As `serve` does.
  boundHeap(usualHeap);
  return { port, stop: () => relay.stop() };
}

/** When messages passed their steps, since this was asked for. */
const traced = new Map<string, Partial<Record<MessageStep, number>>>();

function trace(): void {
  listenToSteps(({ messageId, step, at }) => {
    const steps = traced.get(messageId);
    if (steps === undefined) traced.set(messageId, { [step]: at });
    else steps[step] ??= at;
  });
  process.send?.("done");
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function memory(): Memory {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return { ...process.memoryUsage(), peakRss: process.resourceUsage().maxRSS * kibibyte };
}

function createProving() {
  let pool: ProofPool | undefined;
  const check = async (running: ProofPool, proof: DelayProof): Promise<void> => {
    while (pool === running) await running.verify(proof).catch(() => undefined);
  };
  return {
    async start(): Promise<void> {
      const random = createSystemRandom();
      const proof = await computeDelayProof({ input: random.bytes(64), iterations: proofSteps, checkpoints: true });
      const workers = proofThreads(0);
      pool = createProofPool({ ...{ workers, queueLimit: 64 }, logger: createLogger({ level: "error" }), random });
      for (let i = 0; i < proofsAtOnce; i++) void check(pool, proof);
    },
    async stop(): Promise<void> {
      const ending = pool;
      pool = undefined;
      await ending?.stop();
    },
  };
}
