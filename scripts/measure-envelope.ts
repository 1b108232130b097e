// Measures what an envelope costs a client: `tsx scripts/measure-envelope.ts [bytes]` seals and opens content of this length
// (1,024 bytes by default) with derived keys, in turns, and prints medians.

import { randomBytes } from "node:crypto";
import { epochKeysOf, openEnvelope, sealEnvelope } from "../src/client/envelope.js";
import { signInEpoch } from "../src/client/message-signatures.js";

const length = Number(process.argv[2] ?? 1_024);
const [turns, repetitions] = [40, 2_000];

const keys = await epochKeysOf((_, __, bytes) => new Uint8Array(randomBytes(bytes)));
const content = new Uint8Array(randomBytes(length));
const envelope = sealEnvelope(keys, content);
const measured: Record<string, number[]> = { seal: [], open: [], sign: [] };

for (let turn = 0; turn < turns; turn++) {
  measure("seal", () => sealEnvelope(keys, content));
  measure("open", () => openEnvelope(keys, envelope));
  const begun = performance.now();
  for (let i = 0; i < repetitions / 20; i++) await signInEpoch(keys, envelope);
  note("sign", performance.now() - begun, repetitions / 20);
}
for (const [name, micros] of Object.entries(measured)) {
  const sorted = micros.sort((a, b) => a - b);
  const at = (share: number) => `${(sorted[Math.floor(share * (turns - 1))] as number).toFixed(1)} µs`;
  console.log(`${name} ${length} bytes: median ${at(0.5)}, best ${at(0)}, p90 ${at(0.9)}`);
}

function measure(name: string, act: () => unknown): void {
  const begun = performance.now();
  for (let i = 0; i < repetitions; i++) act();
  note(name, performance.now() - begun, repetitions);
}

function note(name: string, millis: number, count: number): void {
  measured[name]?.push((1_000 * millis) / count);
}
