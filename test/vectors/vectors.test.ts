import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
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
const count = files.flatMap(casesOf).length;
const run = promisify(execFile);

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

describe("programs that share no code with this project come to the same results", () => {
  test.skipIf(isMissing("python3"))("in Python", async () => {
    const programs = await pythonPrograms(path.join(here, "requirements.txt"));
    const { stdout } = await run(path.join(programs, "python"), ["-B", path.join(here, "check.py"), folder]);
    expect(stdout).toBe(`${count} of ${count} cases as expected\n`);
  });

  test.skipIf(isMissing("go"))("in Go", async () => {
    const { stdout } = await run("go", ["run", ".", folder], { cwd: path.join(here, "go") });
    expect(stdout).toBe(`${count} of ${count} cases as expected\n`);
  });
});
