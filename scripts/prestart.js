// Run by npm before `npm start`. A clone is compiled first, so that what runs is what its sources say. In production, in the
// packed package, and after `npm prune --omit=dev`, nothing is compiled: what was built is run.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));
const isBuilt = existsSync(`${project}dist/src/cli/main.js`);
const hasCompiler = existsSync(`${project}node_modules/typescript`) && existsSync(`${project}node_modules/tsx`);
const mayBuild = process.env.NODE_ENV !== "production" && existsSync(`${project}src`) && hasCompiler;

if (mayBuild) {
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { cwd: project, stdio: "inherit" });
  process.exitCode = status ?? 1;
} else if (!isBuilt) {
  console.error("mls-relay is not built: run `npm ci --include=dev && npm run build` without NODE_ENV=production");
  process.exitCode = 1;
}
