import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter } from "node:path";
import { expect, test, vi } from "vitest";
import { runLab } from "../scripts/lab.js";
import { shareOf } from "./support/shares.js";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
const env = { ...process.env, PATH: `node_modules/.bin${delimiter}${process.env["PATH"]}` };

/** What npm does with a script and its arguments. Starting npm as well would take as long again. */
function run(script: string, ...args: readonly string[]) {
  const command = [scripts[script], ...args].join(" ");
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8", env });
  return { status, stdout, stderr };
}

const lab = (...args: readonly string[]) => run("lab", ...args);

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
  const args = ["run", "--silent", "lab", "--", "freeze", "--help"];
  expect(spawnSync("npm", args, { encoding: "utf8" }).stdout).toContain("  --release");
});

test("so does every script of the package", () => {
  // npm runs those by itself.
  const asked = Object.keys(scripts).filter((name) => !name.startsWith("pre"));
  for (const name of shareOf(asked, 3)) {
    const { status, stdout, stderr } = run(name, "--help");
    expect({ status, stderr }, name).toEqual({ status: 0, stderr: "" });
    expect(stdout, name).toMatch(/usage|npm run|--help|common commands/i);
  }
});
