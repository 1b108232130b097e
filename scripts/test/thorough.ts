import { fileURLToPath } from "node:url";
import { type Part, parts, readRecorded } from "./recorded.js";
import { runPart, runShares } from "./steps.js";
import { sum, type Totals } from "./totals.js";

// `npm run lab -- thorough` runs every part that `npm test` leaves out while nothing that it tests has changed, and every
// share that `npm test` draws by the day. It writes what has passed to test/passed.json. Names choose some of the parts.
const project = fileURLToPath(new URL("../..", import.meta.url));
process.chdir(project);
const named = process.argv.slice(2);
const isNamed = (part: string) => named.length === 0 || named.some((name) => part.includes(name));
const recorded = await readRecorded(project);
const passed: Part[] = [];
const all: Totals[] = [];
for (const part of parts.filter(isNamed)) {
  const totals = await runPart(part);
  if (totals.failed === 0 && totals.passed > 0) passed.push(part);
  all.push(totals);
  console.log(`${totals.failed === 0 ? "passed" : "failed"}: ${part}`);
}
if (isNamed("shares")) all.push(await runShares());
await recorded.passed(passed);
const { failed, failures, leftOut, passed: count } = sum(all);
for (const line of leftOut) console.log(`not run: ${line}`);
for (const line of failures) console.log(`failed: ${line}`);
console.log(`${count} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
