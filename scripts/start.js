// `npm start`: builds what has changed (prestart.js), then serves. A question for help builds nothing.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const program = at("dist/src/cli/main.js");
const args = ["serve", ...process.argv.slice(2)];
const wantsHelp = args.includes("--help") || args.includes("-h");

/** Runs another program of this package to its end. */
function run(...command) {
  const { status } = spawnSync(process.execPath, command, { cwd: at(""), stdio: "inherit" });
  return status ?? 1;
}

if (wantsHelp && !existsSync(program) && existsSync(at("node_modules/tsx"))) {
  process.exit(run("--import", "tsx", "--", "src/cli/main.ts", ...args));
}
if (!wantsHelp || !existsSync(program)) {
  const status = run("scripts/prestart.js");
  if (status !== 0) process.exit(status);
}
// In this process, so that signals and the parent's watch are the relay's.
process.argv = [process.execPath, program, ...args];
await import(program);
