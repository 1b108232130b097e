import { expoSqliteStore } from "../../src/groups/react-native/expo-sqlite.js";
import { opSqliteStore } from "../../src/groups/react-native/op-sqlite.js";
import type { Store } from "../../src/groups/store/store.js";
import { expoSqlite, opSqlite } from "./phone-sqlite.js";
import { tryStore } from "./try-store.js";

// Prints as JSON what stores do that are made for phones. Run on a Node.js that has SQLite.
const [, , folder = ""] = process.argv;
const made: Record<string, (name: string) => Store> = {
  op: (name) => opSqliteStore(opSqlite, { name, location: folder }),
  expo: (name) => expoSqliteStore(expoSqlite(folder), name),
};
const results = Object.entries(made).map(async ([driver, make]) => {
  const file = `${driver}.sqlite`;
  const tried = await tryStore(make(file), make(file));
  const store = make(file);
  await store.lock({ wait: false });
  // What is read while something is written is what was there before or after it.
  const big = new Uint8Array(1_000).fill(7);
  const part = new Uint8Array(big.buffer, 10, 3);
  const writing = store.write([
    ["c/1", new Uint8Array()],
    ["c/2", part],
  ]);
  const meanwhile = (await store.list({ prefix: "c/" })).length;
  await writing;
  const values = (await store.list({ prefix: "c/" })).map(([, value]) => [...value]);
  const failed = await store
    .write([
      ["c/3", part],
      ["c/4", { length: 1 } as unknown as Uint8Array],
    ])
    .then(
      () => "written",
      () => "refused",
    );
  const left = (await store.list({ prefix: "c/" })).map(([key]) => key);
  await store.close();
  return [driver, { tried, meanwhile: [0, 2].includes(meanwhile), values, failed, left }];
});
console.log(JSON.stringify(Object.fromEntries(await Promise.all(results))));
