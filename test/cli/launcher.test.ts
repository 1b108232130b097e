import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const launcher = fileURLToPath(new URL("../../scripts/mls-relay", import.meta.url));
const project = fileURLToPath(new URL("../..", import.meta.url));

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mls-relay-launcher-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("the launcher", () => {
  test("finds its own package from any folder, by a link, and asks nobody else", async () => {
    const installed = join(folder, "a package");
    await mkdir(join(installed, "scripts"), { recursive: true });
    await mkdir(join(installed, "dist/src/cli"), { recursive: true });
    await cp(launcher, join(installed, "scripts/mls-relay"));
    await writeFile(join(installed, "package.json"), '{"type":"module"}');
    await writeFile(join(installed, "dist/src/cli/main.js"), "console.log(JSON.stringify(process.argv.slice(2)));");
    await mkdir(join(folder, "bin"));
    await symlink("../a package/scripts/mls-relay", join(folder, "bin/relative"));
    await symlink(join(folder, "bin/relative"), join(folder, "bin/mls-relay"));
    const { stdout } = await run(join(folder, "bin/mls-relay"), ["keys", "two words"], { cwd: "/" });
    expect(JSON.parse(stdout)).toEqual(["keys", "two words"]);
  });

  test("says what to do where the package is not built", async () => {
    await mkdir(join(folder, "fresh/scripts"), { recursive: true });
    await cp(launcher, join(folder, "fresh/scripts/mls-relay"));
    const failed = run(join(folder, "fresh/scripts/mls-relay"), ["keys", "list"]);
    await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("npm run build") });
  });

  test.each([
    ["is built and has no compiler any more", true, 0],
    ["is not built and has no compiler", false, 1],
  ])("npm start of a clone that %s", async (_, isBuilt, code) => {
    const clone = join(folder, `clone-${isBuilt}`);
    await mkdir(join(clone, "scripts"), { recursive: true });
    await mkdir(join(clone, "src"));
    await cp(join(project, "scripts/prestart.js"), join(clone, "scripts/prestart.js"));
    await writeFile(join(clone, "package.json"), '{"type":"module","scripts":{"build":"tsc"}}');
    await mkdir(join(clone, "dist/src/cli"), { recursive: true });
    if (isBuilt) await writeFile(join(clone, "dist/src/cli/main.js"), "");
    const { NODE_ENV: _env, ...env } = process.env;
    const ended = await run(process.execPath, ["scripts/prestart.js"], { cwd: clone, env }).catch((error) => error);
    expect({ code: ended.code ?? 0, stderr: ended.stderr }).toEqual({
      code,
      stderr: isBuilt ? "" : expect.stringContaining("npm run build"),
    });
  });

  test("no page tells anybody to run a package of a name that is looked up in a registry", async () => {
    const pages = (await readdir(join(project, "docs"), { recursive: true })).filter((name) => name.endsWith(".md"));
    const files = ["README.md", "docker-compose.yml", "Dockerfile", "deploy/systemd/mls-relay.service"];
    for (const file of [...files, ...pages.map((name) => join("docs", name))]) {
      expect(await readFile(join(project, file), "utf8"), file).not.toMatch(/\bnpx\b/);
    }
  });

  test("no dependency reports to anybody as it is installed", async () => {
    const { packages } = JSON.parse(await readFile(join(project, "package-lock.json"), "utf8"));
    const named = Object.entries<{ name?: string; hasInstallScript?: boolean }>(packages);
    const telemetry = named.filter(([path, { name }]) => path.endsWith("@scarf/scarf") && name === undefined);
    expect(telemetry).toEqual([]);
  });
});
