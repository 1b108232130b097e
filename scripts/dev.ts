import { spawn } from "node:child_process";
import { once } from "node:events";
import { project } from "./tool.js";

// Runs the relay from its sources, and again after each change.
const tsx = ["node_modules/tsx/dist/cli.mjs", "watch", "src/cli/main.ts", "serve", ...process.argv.slice(2)];
const relay = spawn(process.execPath, tsx, { cwd: project, stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => relay.kill(signal));
const [code] = (await once(relay, "exit")) as [number | null];
process.exitCode = code ?? 1;
