import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const project = fileURLToPath(new URL("../../", import.meta.url));
const tsx = join(project, "node_modules/.bin/tsx");
const digest = `sha256:${"5a".repeat(32)}`;

// Both scripts work on the folder in which they lie, so each test has a project of two files.
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mls-relay-supply-"));
  await mkdir(join(folder, "scripts"));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  for (const name of ["check-lock.ts", "pin-images.ts"]) {
    await cp(join(project, "scripts", name), join(folder, "scripts", name));
  }
});
afterAll(() => rm(folder, { recursive: true }));

test("check-lock shows what a lock file gained and lost, with licence, size, use and scripts", async () => {
  const git = (...args: string[]) =>
    run("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder });
  const lock = (packages: object) => writeFile(join(folder, "package-lock.json"), JSON.stringify({ packages }));
  const kept = { version: "1.0.0", license: "MIT" };
  await lock({ "": {}, "node_modules/kept": kept, "node_modules/gone": { version: "2.0.0", license: "MIT" } });
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "package-lock.json");
  await git("commit", "--quiet", "--message=lock");
  await lock({
    "": {},
    "node_modules/kept": kept,
    "node_modules/@a/new": { version: "3.0.0", license: "ISC", dev: true, hasInstallScript: true },
    "node_modules/@a/new/node_modules/odd": { version: "4.0.0" },
  });
  await mkdir(join(folder, "node_modules/@a/new"), { recursive: true });
  await writeFile(join(folder, "node_modules/@a/new/index.js"), "x".repeat(1_500));
  const { stdout } = await run(tsx, ["scripts/check-lock.ts", "main"], { cwd: folder });
  expect(stdout.trim().split("\n")).toEqual([
    "- gone@2.0.0",
    "+ @a/new@3.0.0  ISC, 2 kB, development only, RUNS AN INSTALL SCRIPT",
    "+ odd@4.0.0  NO LICENCE NAMED, not installed here, SHIPPED",
    "1 removed, 2 added since main",
  ]);
});

describe("pin-images", () => {
  const files = ["Dockerfile", "docker-compose.yml", "test/fuzz/Dockerfile"];

  async function pinWith(docker: string): Promise<{ code: number; texts: string[] }> {
    for (const file of files) await cp(join(project, file), join(folder, file), { recursive: true });
    const bin = join(folder, "bin");
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, "docker"), `#!/bin/sh\n${docker}\n`);
    await chmod(join(bin, "docker"), 0o755);
    await rm(join(bin, "node"), { force: true });
    await symlink(process.execPath, join(bin, "node"));
    const env = { PATH: `${bin}:/usr/bin:/bin` };
    const { code = 0 } = await run(tsx, ["scripts/pin-images.ts"], { cwd: folder, env }).catch((error) => error);
    return { code, texts: await Promise.all(files.map((file) => readFile(join(folder, file), "utf8"))) };
  }

  test("writes the digest of every image behind its tag, and nothing else", async () => {
    const { code, texts } = await pinWith(`[ "$1 $2 $3" = "buildx imagetools inspect" ] && echo ${digest}`);
    expect(code).toBe(0);
    for (const [at, file] of files.entries()) {
      const text = texts[at] ?? "";
      expect(text.replaceAll(`@${digest}`, "")).toBe(await readFile(join(project, file), "utf8"));
      const images = [...text.matchAll(/^\s*(?:FROM(?: --platform=\S+)?|image:) +(\S+:\S+)/gm)].map(
        ([, image]) => image,
      );
      expect(images.length).toBeGreaterThan(0);
      for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
    }
  });

  test.each(["exit 1", "echo nothing"])("changes no file if an image cannot be looked up: %s", async (docker) => {
    const { code, texts } = await pinWith(docker);
    expect(code).not.toBe(0);
    expect(texts).toEqual(await Promise.all(files.map((file) => readFile(join(project, file), "utf8"))));
  });
});
