import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { listChanged, nearest, readDependencies } from "./dependencies.js";
import { countTests } from "./vitest.js";

// `npm run lab -- changed` runs the tests that the changes since the branch left `main`, including uncommitted ones, can
// affect: of those that a module of the server affects, the ones in the module's own folder, and all with `--all`.
// `npm run lab -- changed <base>` takes another base. It runs no checks and no other steps of `npm test`.
const project = fileURLToPath(new URL("../..", import.meta.url));
process.chdir(project);
const words = process.argv.slice(2);
const [base = "main"] = words.filter((word) => word !== "--all");
const changed = listChanged(project, base);
const { tests, affectedBy } = await readDependencies(project);
for (const file of changed) {
  const count = affectedBy([file]).length;
  console.log(`${count === tests.length ? "all" : String(count).padStart(3)} test files depend on ${file}`);
}
const all = affectedBy(changed);
const affected = words.includes("--all") ? all : nearest(changed, affectedBy);
console.log(`${all.length} of ${tests.length} test files can be affected by what changed since ${base}`);
if (affected.length < all.length) console.log(`The ${affected.length} nearest are run; --all runs the others as well`);
if (affected.length > 0) {
  execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
  const { passed, failed, failures, leftOut } = await countTests(affected.length === tests.length ? [] : affected);
  for (const line of leftOut) console.log(`not run: ${line}`);
  for (const line of failures) console.log(`failed: ${line}`);
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}
