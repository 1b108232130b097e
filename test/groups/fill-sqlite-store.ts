import { builtinModule } from "../../src/client/runtime/builtin-module.js";
import { sqliteStore } from "../../src/groups/index.js";

type Database = { exec(sql: string): void };

// Prints as JSON what a store says and has on a disk that is full for a while. Run on a Node.js that has SQLite.
const [, , file = ""] = process.argv;
const opened: Database[] = [];
const { prototype } = builtinModule<{ DatabaseSync: { prototype: Database } }>("node:sqlite")?.DatabaseSync ?? {};
if (prototype === undefined) throw new Error("this Node.js has no SQLite");
const { exec } = prototype;
prototype.exec = function (sql) {
  opened.push(this);
  exec.call(this, sql);
};
const store = sqliteStore(file);
await store.lock({ wait: false });
const limitPages = (pages: number) => exec.call(opened[0] as Database, `pragma max_page_count = ${pages}`);
const write = async (at: number) => {
  const value = new Uint8Array(3_000);
  await store.write([
    [`a/${at}`, value],
    [`b/${at}`, value],
  ]);
};
const problems: string[] = [];
await write(0);
limitPages(8);
for (let at = 1; at <= 9; at++) await write(at).catch((problem: unknown) => problems.push(String(problem)));
limitPages(1_000);
await write(9);
const found = await Promise.all(["a/", "b/"].map(async (prefix) => (await store.list({ prefix })).map(([key]) => key)));
await store.close();
console.log(
  JSON.stringify({ problems: [...new Set(problems)], found: found.map((keys) => keys.map((key) => key.slice(2))) }),
);
