import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, cp, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const project = fileURLToPath(new URL("../..", import.meta.url));
const read = [
  ...["src", "generated", "scripts/build", "scripts/prestart.js", "scripts/start.js"],
  ...["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"],
];
const patience = { timeout: 900_000 };

let clone = "";

/** What is built before `npm start`, as it says. */
async function built(): Promise<string[]> {
  const { stderr } = await promisify(execFile)(process.execPath, ["scripts/prestart.js"], { cwd: clone });
  return [...stderr.matchAll(/^mls-relay: building (.*)$/gm)].map(([, part = ""]) => part);
}

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), "mls-relay-prestart-"));
  for (const path of read) await cp(join(project, path), join(clone, path), { recursive: true });
  await cp(join(project, "dist"), join(clone, "dist"), {
    recursive: true,
    filter: (path) => !path.includes(join("dist", "transpiled")),
  });
  await symlink(join(project, "node_modules"), join(clone, "node_modules"));
  await built();
});
afterAll(() => rm(clone, { recursive: true }));

test("the second start of a clone builds nothing", patience, async () => {
  expect(await built()).toEqual([]);
});

test("a start after a source of the relay has changed builds the relay", patience, async () => {
  await appendFile(join(clone, "src/cli/problem.ts"), "export const addedLater = 1;\n");
  expect(await built()).toContain("server");
  expect(await readFile(join(clone, "dist/src/cli/problem.js"), "utf8")).toContain("addedLater");
  expect(await built()).toEqual([]);
});

test("a start after another part has changed builds that part only", patience, async () => {
  await appendFile(join(clone, "src/conformance/main.ts"), "\n");
  expect(await built()).toEqual(["conformance"]);
});

test("npm start -- --help builds nothing, nor before the first build", patience, async () => {
  await appendFile(join(clone, "src/cli/problem.ts"), "// Changed again.\n");
  const program = join(clone, "dist/src/cli/main.js");
  for (const isBuilt of [true, false]) {
    if (!isBuilt) await rm(program);
    const { stdout, stderr } = await promisify(execFile)("npm", ["start", "--", "--help"], { cwd: clone });
    expect(stdout).toContain("Usage: mls-relay serve");
    expect(stderr).toBe("");
    expect(existsSync(program)).toBe(isBuilt);
  }
});
