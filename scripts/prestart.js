// Run by start.js before the relay. In a clone it builds what has changed, so that the sources and what runs agree. In production,
// in the packed package, and after `npm prune --omit=dev` it builds nothing.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));
const isBuilt = existsSync(`${project}dist/src/cli/main.js`);
const hasCompiler = existsSync(`${project}node_modules/typescript7`) && existsSync(`${project}node_modules/tsx`);
const mayBuild = process.env.NODE_ENV !== "production" && existsSync(`${project}src`) && hasCompiler;

if (mayBuild) {
  const { status } = spawnSync(process.execPath, ["--import", "tsx", "scripts/build/main.ts"], {
    cwd: project,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
} else if (!isBuilt) {
  console.error("mls-relay is not built: run `npm ci --include=dev && npm run build` without NODE_ENV=production");
  process.exitCode = 1;
}
