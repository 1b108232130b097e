import { setTimeout } from "node:timers/promises";
import { sqliteStore } from "../../src/groups/index.js";

// Locks a store, prints how many programs have had it before, and holds it until it is killed; or prints that it is locked.
// Nothing refers to the store afterwards, and garbage is collected: the lock must last nevertheless.
const [, , file = "", wait] = process.argv;
console.log(await hold());

async function hold(): Promise<string> {
  const before = await lockAndList();
  if (before === undefined) return "refused";
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await setTimeout(20);
  }
  setInterval(() => {}, 60_000);
  return `held after ${before}`;
}

async function lockAndList(): Promise<number | undefined> {
  const store = sqliteStore(file);
  if (!(await store.lock({ wait: wait === "wait" }))) return undefined;
  const before = await store.list({ prefix: "holder/" });
  await store.write([[`holder/${process.pid}`, new Uint8Array([1])]]);
  return before.length;
}
