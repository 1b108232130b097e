// Measures what an envelope costs a client: `tsx scripts/measure-envelope.ts [bytes]` seals and opens content of this length
// (1,024 bytes by default) with derived keys, in turns, and prints medians.

import { randomBytes } from "node:crypto";
import { epochKeysOf, openEnvelope, sealEnvelope } from "../src/client/crypto/envelope.js";
import { signInEpoch } from "../src/client/crypto/message-signatures.js";

const length = Number(process.argv[2] ?? 1_024);
const [turns, repetitions] = [40, 2_000];

const keys = await epochKeysOf((_, __, bytes) => new Uint8Array(randomBytes(bytes)));
const content = new Uint8Array(randomBytes(length));
const envelope = sealEnvelope(keys, content);
const measured: Record<string, number[]> = { seal: [], open: [], sign: [] };

for (let turn = 0; turn < turns; turn++) {
  await measure("seal", repetitions, () => sealEnvelope(keys, content));
  await measure("open", repetitions, () => openEnvelope(keys, envelope));
  await measure("sign", repetitions / 20, () => signInEpoch(keys, envelope));
}
for (const [name, micros] of Object.entries(measured)) {
  const sorted = micros.sort((a, b) => a - b);
  const at = (share: number) => `${(sorted[Math.floor(share * (turns - 1))] as number).toFixed(1)} µs`;
  console.log(`${name} ${length} bytes: median ${at(0.5)}, p10 ${at(0.1)}, p90 ${at(0.9)} of processor time`);
}

/** In processor time, so that it may be measured beside other work. */
async function measure(name: string, count: number, act: () => unknown): Promise<void> {
  const begun = process.cpuUsage();
  for (let i = 0; i < count; i++) {
    const done = act();
    if (done instanceof Promise) await done;
  }
  const { user, system } = process.cpuUsage(begun);
  measured[name]?.push((user + system) / count);
}
