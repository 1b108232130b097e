import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const project = fileURLToPath(new URL("../..", import.meta.url));

type Part = "app" | "console" | "pages" | "client" | "conformance" | "groups";

const built = new Map<Part, Promise<unknown>>();

/**
 * Builds a part of the package as `npm run build` does, unless it is already built. The test files of a worker check
 * once.
 */
export async function build(part: Part): Promise<void> {
  const building =
    built.get(part) ?? promisify(execFile)("node_modules/.bin/tsx", ["scripts/build/main.ts", part], { cwd: project });
  built.set(part, building);
  await building;
}
