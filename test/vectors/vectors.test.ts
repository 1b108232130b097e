import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pythonPrograms } from "../../scripts/fuzz/python.js";
import { RelayError } from "../../src/protocol/errors.js";
import { isMissing } from "../support/programs.js";
import { type Given, Refused, rules } from "./rules.js";

interface Case {
  name: string;
  rule: string;
  given: Given;
  result?: unknown;
  error?: string;
}

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = path.join(here, "../../spec/vectors");
const read = (file: string) => JSON.parse(readFileSync(path.join(folder, file), "utf8"));
const files = readdirSync(folder).filter((file) => file.endsWith(".json") && file !== "schema.json");
const casesOf = (file: string): Case[] => read(file).cases;
const allCases = files.flatMap(casesOf);
const count = allCases.length;
const run = promisify(execFile);

/** Rules that refuse nothing, each with the rule that refuses what it has not made. */
const checkedBy: Readonly<Record<string, string>> = {
  signed_text: "signed_request",
  envelope_keys: "envelope_open",
  door_keys: "join_request",
  blob_seal: "blob_open",
  message_reference: "svc_message",
  reportable_id: "reportable_id_check",
  user_keys_newer: "leaf_identity",
};

test("every rule has right cases and wrong ones, and the project's code for it", () => {
  const named = new Set(allCases.map(({ rule }) => rule));
  expect(Object.keys(rules).sort()).toEqual([...named].sort());
  const rulesOf = (isMeant: (one: Case) => boolean) => new Set(allCases.filter(isMeant).map(({ rule }) => rule));
  const [right, wrong] = [rulesOf(({ error }) => error === undefined), rulesOf(({ error }) => error !== undefined)];
  expect([...named].filter((rule) => !right.has(rule) || !wrong.has(checkedBy[rule] ?? rule))).toEqual([]);
});

test("the page about them names every file, and its rules beside it", async () => {
  const page = await readFile(path.join(here, "../../docs/reference/vectors.md"), "utf8");
  for (const file of files) {
    const row = page.split("\n").find((line) => line.startsWith(`- \`${file}\`:`)) ?? "";
    const missing = casesOf(file).filter(({ rule }) => !row.includes(`\`${rule}\``));
    expect(missing.map(({ rule }) => `${file}: ${rule}`)).toEqual([]);
  }
});

test.each(files)("%s has the form of the schema, and right and wrong cases", (file) => {
  const isValid = new Ajv2020({ strict: true, strictRequired: false }).compile(read("schema.json"));
  expect(isValid(read(file)), JSON.stringify(isValid.errors)).toBe(true);
  const cases = casesOf(file);
  expect(new Set(cases.map(({ rule, name }) => `${rule}: ${name}`)).size).toBe(cases.length);
  expect(cases.some(({ error }) => error !== undefined)).toBe(true);
  expect(cases.some(({ result }) => result !== undefined)).toBe(true);
});

describe.each(files)("%s", (file) => {
  test.each(casesOf(file))("$rule: $name", async ({ rule, given, result, error }) => {
    expect(await outcome(rule, given)).toEqual(error === undefined ? { result } : { error });
  });
});

async function outcome(rule: string, given: Given): Promise<{ result: unknown } | { error: string }> {
  const apply = rules[rule];
  if (apply === undefined) throw new Error(`there is no rule ${rule}`);
  try {
    return { result: await apply(given) };
  } catch (error) {
    if (error instanceof Refused) return { error: error.message };
    if (error instanceof RelayError) return { error: error.id };
    throw error;
  }
}

describe("programs that share no code with this project", () => {
  let changed: string;
  beforeAll(async () => {
    changed = await mkdtemp(path.join(tmpdir(), "mls-relay-vectors-"));
    for (const file of files)
      await writeFile(path.join(changed, file), JSON.stringify({ cases: casesOf(file).map(other) }));
  });
  afterAll(() => rm(changed, { recursive: true }));

  const inPython = async (vectors: string) => {
    const programs = await pythonPrograms(path.join(here, "python/requirements.txt"));
    return run(path.join(programs, "python"), ["-B", path.join(here, "python/check.py"), vectors]);
  };
  const inGo = (vectors: string) => run("go", ["run", ".", vectors], { cwd: path.join(here, "go") });

  describe.each([
    ["Python", "python3", inPython],
    ["Go", "go", inGo],
  ] as const)("in %s", (_, program, check) => {
    test.skipIf(isMissing(program))("come to the same results in every case", async () => {
      expect((await check(folder)).stdout).toBe(`${count} of ${count} cases as expected\n`);
    });

    test.skipIf(isMissing(program))("notice each case whose outcome is another one", async () => {
      expect((await check(changed)).stdout.trimEnd().split("\n").at(-1)).toBe(`0 of ${count} cases as expected`);
    });
  });
});

/** The case with another outcome: another result, or another error. */
function other({ result, error, ...one }: Case): Case {
  return error === undefined ? { ...one, result: { other: result } } : { ...one, error: `OTHER_${error}` };
}
