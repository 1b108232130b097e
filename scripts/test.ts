import { fileURLToPath } from "node:url";
import { runAllSteps } from "./test/steps.js";
import { countTests } from "./test/vitest.js";

// Runs every check and every test; with arguments, only the tests that they select (`npm test -- test/database`). Tests for
// which a program is missing are left out and listed; with CI=true they fail.
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const selection = process.argv.slice(2);
const { passed, failed, failures, leftOut } = await (selection.length > 0 ? countTests(selection) : runAllSteps());
if (leftOut.length > 0) console.log("Not run, and counted neither as passed nor as failed:");
for (const line of leftOut) console.log(`  ${line}`);
if (failures.length > 0) console.log("Failed:");
for (const line of failures) console.log(`  ${line}`);
// The last line is read by .ci/run and by `npm run lab -- again`.
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0 || passed === 0) process.exitCode = 1;
