import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { majorOf, newerMinorOf, newestPostgres } from "../../src/database/server-version.js";
import { isMissing, programs } from "../support/programs.js";

const run = promisify(execFile);
const project = fileURLToPath(new URL("../../", import.meta.url));
const folder = ".github/workflows";
const files = readdirSync(join(project, folder));
const read = (name: string): string => readFileSync(join(project, folder, name), "utf8");

// Nothing here runs a workflow: that takes the accounts of its owner.

test.skipIf(isMissing("actionlint")).each(files)("actionlint finds nothing in %s", async (name) => {
  const actionlint = programs.actionlint.find() ?? "";
  await run(actionlint, ["-no-color", join(folder, name)], { cwd: project });
  const broken = await mkdtemp(join(tmpdir(), "mls-relay-workflow-"));
  onTestFinished(() => rm(broken, { recursive: true }));
  await writeFile(join(broken, name), read(name).replace("runs-on:", "run-on:"));
  await expect(run(actionlint, ["-no-color", join(broken, name)])).rejects.toThrow();
});

test.each(files)("%s calls commands that there are", async (name) => {
  const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  const text = read(name);
  for (const [, script = ""] of text.matchAll(/npm run ([\w-]+)/g)) expect(scripts).toHaveProperty([script]);
  const { stdout } = await run("npm", ["run", "--silent", "lab"], { cwd: project });
  for (const [, tool = ""] of text.matchAll(/npm run lab -- ([\w-]+)/g)) expect(stdout).toContain(tool);
  for (const [file] of text.matchAll(/\.ci\/\w+|\btest\/[\w./-]+/g)) {
    await expect(run("git", ["ls-files", "--error-unmatch", file], { cwd: project })).resolves.toBeDefined();
  }
});

describe("a release", () => {
  const { jobs, on } = parse(read("release.yml"));
  const stepsOf = (job: string): Record<string, unknown>[] => jobs[job].steps;

  test("begins with a tag, and is announced after everything is published", () => {
    expect(on).toEqual({ push: { tags: ["v*"] } });
    expect(jobs.npm.needs).toEqual(["files", "postgres", "thorough"]);
    expect(jobs.image.needs).toEqual(["files", "postgres", "thorough"]);
    expect(jobs.release.needs).toEqual(["npm", "image"]);
  });

  test("has an image for two platforms, with a bill of materials, and a signature of its digest", () => {
    const build = stepsOf("image").find(({ uses }) => String(uses).startsWith("docker/build-push-action"));
    expect(build?.["with"]).toMatchObject({ platforms: "linux/amd64,linux/arm64", sbom: true, push: true });
    expect(
      stepsOf("image").some(({ run }) => String(run).includes('cosign sign --yes --recursive "$IMAGE@$DIGEST"')),
    ).toBe(true);
    expect(jobs.image.permissions["id-token"]).toBe("write");
  });

  test("has the programs of the newest PostgreSQL that the relay knows, built from the source whose hash is in the repository", () => {
    const line = readFileSync(join(project, "scripts/release/postgres-source.sha256"), "utf8");
    const [, major, minor] = line.match(/^[0-9a-f]{64} {2}postgresql-(\d+)\.(\d+)\.tar\.bz2\n$/) ?? [];
    const number = Number(major) * 10_000 + Number(minor);
    expect(majorOf(number)).toBe(newestPostgres);
    expect(newerMinorOf(number)).toBeNull();
    expect(newerMinorOf(number - 1)?.newest).toBe(`${major}.${minor}`);
    for (const page of ["install", "postgresql"])
      expect(readFileSync(join(project, `docs/how-to/${page}.md`), "utf8")).toContain(
        `postgresql-${major}.${minor}-linux-`,
      );
    const commands = stepsOf("postgres").map(({ run }) => String(run));
    expect(commands).toContain("scripts/release/postgres.sh postgres");
    const [announced] = stepsOf("release").flatMap(({ run }) =>
      String(run).startsWith("gh release") ? [String(run)] : [],
    );
    expect(announced).toContain("./postgres/*");
  });

  test("has packages with the proof of where they come from, and nothing but the files that were checked", () => {
    const commands = stepsOf("npm").map(({ run }) => String(run));
    expect(commands.findIndex((command) => command.includes("--provenance"))).toBeGreaterThan(
      commands.findIndex((command) => command.includes("sha256sum --check")),
    );
    expect(jobs.npm.permissions["id-token"]).toBe("write");
  });
});
