import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

function lab(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "lab", "--", ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

test("the tools of maintainers list themselves, and one that does not exist is an error", () => {
  const listed = lab();
  expect(listed.status).toBe(0);
  for (const name of ["faults", "model", "soak"]) expect(listed.stdout).toContain(`\n  ${name} `);
  expect(lab("nosuch")).toMatchObject({ status: 2, stderr: "mls-relay: there is no tool nosuch\n" });
});

test("a tool that is asked for help explains itself and does nothing else", () => {
  for (const name of ["faults", "freeze"]) {
    const { status, stdout, stderr } = lab(name, "--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(`npm run lab -- ${name}: `);
    expect(stdout).toContain("  --");
  }
});
