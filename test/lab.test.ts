import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

function npmRun(script: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", script, "--", ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

const lab = (...args: readonly string[]) => npmRun("lab", ...args);

test("the tools of maintainers list themselves, and one that does not exist is an error", () => {
  const listed = lab();
  expect(listed.status).toBe(0);
  for (const name of ["faults", "model", "soak"]) expect(listed.stdout).toContain(`\n  ${name} `);
  expect(lab("nosuch")).toMatchObject({ status: 2, stderr: "mls-relay: there is no tool nosuch\n" });
});

test("a tool that is asked for help explains itself and does nothing else", () => {
  const names = [...lab().stdout.matchAll(/^ {2}(\S+) /gm)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const program = ["--import", "tsx", "scripts/lab.ts", name, "--help"];
    const { status, stdout, stderr } = spawnSync(process.execPath, program, { encoding: "utf8" });
    expect({ status, stderr }, name).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(`npm run lab -- ${name}: `);
  }
  expect(lab("freeze", "--help").stdout).toContain("  --release");
});

test("so does every script of the package", async () => {
  const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as { scripts: Record<string, string> };
  // npm runs those by itself.
  const asked = Object.keys(scripts).filter((name) => !name.startsWith("pre"));
  for (const name of asked) {
    const { status, stdout, stderr } = npmRun(name, "--help");
    expect({ status, stderr }, name).toEqual({ status: 0, stderr: "" });
    expect(stdout, name).toMatch(/usage|npm run|--help|common commands/i);
  }
});
