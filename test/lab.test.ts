import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { runLab } from "../scripts/lab.js";

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
  const said = vi.spyOn(console, "log").mockImplementation(() => undefined);
  for (const name of names) {
    expect(runLab([name, "--help"])).toBe(0);
    expect(said.mock.lastCall?.[0]).toContain(`npm run lab -- ${name}: `);
  }
  said.mockRestore();
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
