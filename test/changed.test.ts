import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { type Dependencies, nearest, readDependencies } from "../scripts/test/dependencies.js";
import { longestFiles } from "./support/longest-files.js";

const project = new URL("../", import.meta.url);

let dependencies: Dependencies;
beforeAll(async () => {
  dependencies = await readDependencies(fileURLToPath(project));
});

describe("the tests that a change can affect", () => {
  test.each([
    ["a test", "test/devices/devices.test.ts", "test/devices/devices.test.ts"],
    ["what a test imports", "test/console/harness.ts", "test/console/views.test.ts"],
    ["what a relay in a test imports", "src/devices/store.ts", "test/devices/devices.test.ts"],
    ["what a process imports that a test starts", "src/cli/doctor.ts", "test/cli/doctor.test.ts"],
    ["what a script builds that a test runs", "src/console/app/main.tsx", "test/console/views.test.ts"],
    ["a folder that a test reads", "docs/how-to/backup.md", "test/manual/manual.test.ts"],
    ["a file that a test names", "Dockerfile", "test/packaging.test.ts"],
    ["a file that is gone", "docs/how-to/gone.md", "test/manual/manual.test.ts"],
  ])("%s", (_, changed, affected) => {
    expect(dependencies.affectedBy([changed])).toContain(affected);
  });

  test.each([
    "package.json",
    "spec/paths/admin-audit.yaml",
    "src/database/migrations/migrate.ts",
    "vitest.config.ts",
  ])("are all tests after a change of %s", (file) => {
    expect(dependencies.affectedBy([file])).toEqual(dependencies.tests);
  });

  test("are at first those of the changed module", () => {
    const near = (file: string) => nearest([file], dependencies.affectedBy);
    expect(near("src/devices/store.ts").every((file) => file.startsWith("test/devices/"))).toBe(true);
    expect(near("src/devices/store.ts")).toContain("test/devices/devices.test.ts");
    expect(near("docs/how-to/backup.md")).toEqual(dependencies.affectedBy(["docs/how-to/backup.md"]));
  });

  test("are few after a change of one page, script or test", () => {
    const few = dependencies.tests.length / 10;
    for (const file of ["docs/how-to/backup.md", "scripts/fuzz.ts", "test/client/browser.test.ts"]) {
      expect(dependencies.affectedBy([file]).length, file).toBeLessThan(few);
    }
  });
});

test("the list of the longest test files names files that are there", () => {
  expect(longestFiles.filter((file) => !existsSync(new URL(file, project)))).toEqual([]);
});
