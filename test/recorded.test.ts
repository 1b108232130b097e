import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { listFiles } from "../scripts/test/dependencies.js";
import { filesOfParts, inputs, parts, readRecorded } from "../scripts/test/recorded.js";
import { alike, filesInShares, leftOutToday } from "../scripts/test/shares.js";

let project: string;
const write = (file: string, text: string) => {
  mkdirSync(join(project, file, ".."), { recursive: true });
  writeFileSync(join(project, file), text);
};
const due = async () => {
  const recorded = await readRecorded(project);
  return parts.filter((part) => recorded.isDue(part));
};
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "mls-relay-recorded-"));
  execFileSync("git", ["init", "--quiet"], { cwd: project });
  for (const file of [
    "package-lock.json",
    "generated/contract.json",
    "spec/model/queue.qnt",
    "src/http/router.ts",
    "test/passed.json",
  ])
    write(file, file === "test/passed.json" ? "{}" : "first");
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(project, { recursive: true, force: true });
});

test("a part is due until it has passed with its present inputs, and again once one of them changes", async () => {
  vi.stubEnv("CI", "");
  expect(await due()).toEqual(parts);
  await (await readRecorded(project)).passed(parts);
  expect(await due()).toEqual([]);
  write("src/messages/store.ts", "new");
  expect(await due()).toEqual([]);
  write("spec/model/queue.qnt", "second");
  expect(await due()).toEqual(["the models"]);
  write("spec/model/queue.qnt", "first");
  rmSync(join(project, "src/http/router.ts"));
  expect(await due()).toEqual(["fuzzing in full", "the validator"]);
  write("scripts/clients/new.ts", "new");
  expect(await due()).toEqual(["generated clients", "fuzzing in full", "the validator"]);
  write("generated/contract.json", "second");
  expect(await due()).toEqual([
    ...[
      "conformance mutants",
      "generated clients",
      "planted faults",
      "fuzzing in full",
      "the packages",
      "the validator",
      "the views of the console",
    ],
  ]);
  write("package-lock.json", "second");
  expect(await due()).toEqual(parts);
});

test("what passes in CI is not written, and without Git every part is due", async () => {
  vi.stubEnv("CI", "true");
  await (await readRecorded(project)).passed(parts);
  expect(await due()).toEqual(parts);
  vi.stubEnv("CI", "");
  await (await readRecorded(project)).passed(parts);
  expect(await due()).toEqual([]);
  rmSync(join(project, ".git"), { recursive: true });
  vi.stubEnv("GIT_CEILING_DIRECTORIES", tmpdir());
  expect(await due()).toEqual(parts);
});

test("of files that show one promise from different sides, all but one of each line are left out", () => {
  for (const files of alike) expect(files.filter((file) => !leftOutToday().includes(file))).toHaveLength(1);
});

test("every file that may be left out is there, and is run where nothing is left out", () => {
  const inShares = filesInShares(process.cwd());
  for (const file of [...inShares, ...Object.values(filesOfParts).flat()]) expect(existsSync(file), file).toBe(true);
  expect(inShares).toEqual(expect.arrayContaining([...alike.flat(), "test/model/replay.test.ts"]));
});

test("every input of a part is there, so that a file that moves does not go unnoticed", () => {
  const files = listFiles(process.cwd()).filter((file) => existsSync(file));
  for (const [part, patterns] of Object.entries<readonly RegExp[]>(inputs))
    for (const pattern of patterns)
      expect(
        files.some((file) => pattern.test(file)),
        `${part}: ${pattern}`,
      ).toBe(true);
});
