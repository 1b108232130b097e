import { readFile, writeFile } from "node:fs/promises";
import { catalogue } from "../src/metrics/catalogue.js";

// Writes the table of docs/reference/metrics.md from the catalogue in src/metrics; the text around the table is written by hand.

const file = new URL("../docs/reference/metrics.md", import.meta.url);
const lines = catalogue.map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help} |`);
const table = ["| name | type | meaning |", "|---|---|---|", ...lines].join("\n");
const text = await readFile(file, "utf8");
await writeFile(file, text.replace(/\| name \| type \| meaning \|\n(?:\|.*\n)*/, `${table}\n`));
