import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { errorCatalogue } from "../../generated/errors.js";
import { createProgram } from "../../src/cli/program.js";
import { listConstants, variableNames } from "../../src/composition/config.js";
import { seedVariables } from "../../src/settings/service.js";
import { readUnit, unitPath } from "../deploy/unit.js";
import { blocksOf, pagesOfManual, project } from "./blocks.js";

// What the manual tells a reader to type or to look for is there: paths, units, variables, commands and their options.

const pages = await pagesOfManual();
const texts = new Map(
  await Promise.all(pages.map(async (page) => [page, await readFile(path.join(project, page), "utf8")] as const)),
);

/** Every match of the pattern's first group, with its page. */
function found(pattern: RegExp): { page: string; text: string }[] {
  return [...texts].flatMap(([page, text]) =>
    [...text.matchAll(pattern)].map(([, match = ""]) => ({ page, text: match })),
  );
}

const shown = (missing: readonly { page: string; text: string }[]) =>
  missing.map(({ page, text }) => `${page}: ${text}`);

test("files of the project that the manual names are there", () => {
  const named = [
    ...found(/\/opt\/mls-relay\/([\w./-]*[\w-])/g),
    ...found(/(?<![\w./-])((?:deploy|scripts)\/[\w./-]*[\w-])/g),
  ];
  expect(named.length).toBeGreaterThan(10);
  expect(shown(named.filter(({ text }) => !existsSync(path.join(project, text))))).toEqual([]);
});

test("files of the machine's configuration are the ones that the unit reads", async () => {
  const unit = await readUnit(unitPath);
  const files = [
    ...(unit.get("EnvironmentFile") ?? []).map((file) => file.replace(/^-/, "")),
    ...(unit.get("LoadCredential") ?? []).map((credential) => credential.split(":")[1]),
  ];
  const known = [...files, "/etc/mls-relay", "/etc/mls-relay/"];
  const named = found(/(\/etc\/mls-relay[\w./-]*)/g);
  expect(named.length).toBeGreaterThan(5);
  expect(shown(named.filter(({ text }) => !known.includes(text.replace(/\.$/, ""))))).toEqual([]);
});

test("units that the manual starts are the relay's or Debian's", () => {
  const named = found(/\bsystemctl (?:enable --now|enable|disable --now|start|stop|restart|reload|status) ([\w@.-]+)/g);
  expect(named.length).toBeGreaterThan(3);
  const known = ["mls-relay", "caddy", "nginx", "postgresql", "haproxy"];
  expect(shown(named.filter(({ text }) => !known.includes(text)))).toEqual([]);
});

test("variables that commands of the manual set are read by the relay", async () => {
  const known = new Set([...variableNames(), ...seedVariables(), ...foreign]);
  const blocks = (await Promise.all(pages.map(blocksOf))).flat();
  const set = blocks.flatMap(({ page, commands }) => {
    const own = new Set([...commands.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name));
    const names = [...commands.matchAll(/(?<![\w$-])([A-Z][A-Z0-9_]+)=/g)].map(([, name = ""]) => name);
    // A variable of the shell, which a later line uses.
    return names.filter((name) => !own.has(name)).map((text) => ({ page, text }));
  });
  expect(set.length).toBeGreaterThan(10);
  expect(shown(set.filter(({ text }) => !known.has(text)))).toEqual([]);
});

/** Of other programs, or of the page's own shell. */
const foreign = [
  ...["TOKEN", "NODE_ENV", "GRAFANA_PASSWORD", "RELAY_MEMORY", "NODE_EXTRA_CA_CERTS"],
  ...["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"],
];

test("variables that the manual names in its text are there", () => {
  const errors = Object.keys(errorCatalogue);
  const constants = listConstants().map(({ variable }) => variable);
  const known = new Set([...variableNames(), ...seedVariables(), ...foreign, ...constants, ...errors]);
  const prefixes = [...variableNames()].map((name) => name.split("_")[0]);
  const alike = found(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g).filter(({ text }) =>
    prefixes.includes(text.split("_")[0]),
  );
  expect(alike.length).toBeGreaterThan(50);
  expect(shown(alike.filter(({ text }) => !known.has(text)))).toEqual([]);
});

test("commands of the manual, and their options, are there", async () => {
  const program = await createProgram();
  const typed = found(/(?<![\w./=-])mls-relay(?! serves)((?: +[a-z][\w-]*| +--[a-z][\w-]*)+)/g).filter(
    ({ page }) => page !== "docs/benchmarks.md",
  );
  expect(typed.length).toBeGreaterThan(100);
  expect(shown(typed.filter(({ text }) => problemOf(program, text.trim().split(/ +/)) !== null))).toEqual([]);
});

/** What is wrong with the words after `mls-relay`, up to the first value. */
function problemOf(program: Command, words: readonly string[]): string | null {
  let command = program;
  for (const word of words) {
    const inner = command.commands.find((each) => each.name() === word);
    if (inner !== undefined) command = inner;
    else if (word.startsWith("--")) {
      const options = [...command.options, ...program.options];
      if (word !== "--help" && !options.some(({ long }) => long === word)) return word;
    } else return command.commands.length > 0 ? word : null;
  }
  return null;
}
