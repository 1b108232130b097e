import { sqliteStore } from "../../src/groups/index.js";

// Locks a store, prints how many programs have had it before, and holds it until it is killed; or prints that it is locked.
const [, , file = "", wait] = process.argv;
const store = sqliteStore(file);
if (await store.lock({ wait: wait === "wait" })) {
  const before = await store.list({ prefix: "holder/" });
  await store.write([[`holder/${process.pid}`, new Uint8Array([1])]]);
  console.log(`held after ${before.length}`);
  setInterval(() => {}, 60_000);
} else console.log("refused");
