import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const project = fileURLToPath(new URL("../..", import.meta.url));

/** Builds a part of the package as `npm run build` does, unless it is built. */
export async function build(part: "console" | "pages" | "client" | "packages"): Promise<void> {
  await promisify(execFile)("node_modules/.bin/tsx", ["scripts/build/main.ts", part], { cwd: project });
}
