import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { bestHashChains, maxChains } from "../../protocol/hash-chain.js";

/** Nanoseconds for one step of the proof of delay: a SHA-256 of 32 bytes. */
export interface HashingResult {
  ours: number;
  oursSideBySide: number;
  noble: number;
  nodeCrypto: number;
  openssl: number | null;
}

const steps = 300_000;
const slowSteps = 60_000;

export async function measureHashing(): Promise<HashingResult> {
  const chains = await bestHashChains();
  const start = new Uint8Array(32).fill(7);
  const four = Array.from({ length: maxChains }, () => start);
  chains.advance([start], slowSteps);
  chains.advance(four, slowSteps);
  return {
    ours: timed(steps, () => chains.advance([start], steps)),
    oursSideBySide: timed(steps * maxChains, () => chains.advance(four, steps)),
    noble: timed(slowSteps, () => repeat(start, sha256)),
    nodeCrypto: timed(slowSteps, () => repeat(start, (data) => createHash("sha256").update(data).digest())),
    openssl: askOpenssl(),
  };
}

/** Processor time, as `openssl speed` measures it: other processes on the core do not count. */
function timed(count: number, work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / count;
}

function repeat(start: Uint8Array, hash: (data: Uint8Array) => Uint8Array): void {
  let state = start;
  for (let i = 0; i < slowSteps; i++) state = hash(state);
}

/** `openssl speed` counts thousands of bytes a second. */
function askOpenssl(): number | null {
  const { stdout, status } = spawnSync("openssl", ["speed", "-seconds", "1", "-bytes", "32", "sha256"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const kilobytes = Number(/^sha256\s+([\d.]+)k/m.exec(stdout ?? "")?.[1]);
  return status === 0 && kilobytes > 0 ? (32 / (kilobytes * 1000)) * 1e9 : null;
}
