import { sqliteStore } from "../../src/groups/index.js";
import { tryStore } from "./try-store.js";

// Prints as JSON what two stores on one file do. Run on a Node.js that has SQLite.
const [, , file = ""] = process.argv;
console.log(JSON.stringify(await tryStore(sqliteStore(file), sqliteStore(file))));
