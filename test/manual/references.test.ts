import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { modules } from "../../scripts/layout/modules.js";
import { auditActions } from "../../src/console/views/audit-actions.js";
import { alertKinds } from "../../src/health/types.js";
import { errorCatalogue } from "../../src/protocol/errors.js";
import { machinePresets } from "../../src/settings/machine-presets.js";
import { presets } from "../../src/settings/service.js";
import { pagesOfManual, project } from "./blocks.js";

const read = (file: string) => readFile(path.join(project, file), "utf8");

test("the runbook has a section for each alert that there is, and none for others", async () => {
  const headings = [...(await read("docs/how-to/alerts.md")).matchAll(/^### (\S+)$/gm)].map(([, name]) => name);
  expect(headings.toSorted()).toEqual(Object.keys(alertKinds).sort());
});

test("each section of the runbook says meaning, cause and what to do", async () => {
  const sections = (await read("docs/how-to/alerts.md")).split(/^### /m).slice(1);
  for (const section of sections) {
    for (const part of ["**Meaning.**", "**Cause.**", "**Do.**"]) expect(section).toContain(part);
  }
});

test("every audit action is described, and no other", async () => {
  const page = await read("docs/reference/audit-actions.md");
  const described = [...page.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name);
  expect(described.toSorted()).toEqual(auditActions.toSorted());
});

test("every value of the preset for a community has its reason on the page", async () => {
  const page = await read("docs/how-to/community.md");
  for (const [group, keys] of Object.entries(presets["community"]?.settings ?? {})) {
    for (const [key, value] of Object.entries(keys)) {
      if (key === "accept_invites") continue;
      const shown = typeof value === "number" ? value.toLocaleString("en") : String(value);
      expect(page, key).toMatch(new RegExp(`^\\| \`${group}\\.${key}\` \\| \`?${shown}\`? \\|`, "m"));
    }
  }
});

test("every variable of the presets for machines has its reason on the page", async () => {
  const page = await read("docs/how-to/small.md");
  for (const variable of Object.keys(machinePresets["small"]?.variables ?? {}))
    expect(page).toContain(`| \`${variable}\` |`);
});

test("every rule is in a file that there is, which has the function that the page names", async () => {
  const page = await read("docs/reference/rules.md");
  const rows = [...page.matchAll(/^- (.+): (\[.+)$/gm)];
  expect(rows.length).toBe([...page.matchAll(/^- /gm)].length);
  expect(rows.length).toBeGreaterThan(0);
  let functions = 0;
  for (const [, rule, files = ""] of rows) {
    const named = [...files.matchAll(/\[`([^`]+)`\]\(([^)]+)\)(?: `(\w+)`)?/g)];
    expect(named.length, rule).toBe(files.split(", ").length);
    for (const [, name, target = "", ofFile] of named) {
      expect(path.join("docs/reference", target), rule).toBe(`src/${name}`);
      expect(await isThere(`src/${name}`, undefined), `${rule}: ${name}`).toBe(true);
      if (ofFile === undefined) continue;
      functions += 1;
      expect(await read(`src/${name}`), rule).toMatch(
        new RegExp(`(?:function\\*? |class |const |^  (?:private )?)${ofFile}\\b`, "m"),
      );
    }
  }
  expect(functions).toBeGreaterThan(10);
});

test("the page of rules says where each error of the catalogue is decided", async () => {
  const [, errors = ""] = (await read("docs/reference/rules.md")).split("\n## Errors\n");
  for (const { error } of Object.values(errorCatalogue)) expect(errors).toContain(`\`${error}\``);
});

test("the picture of the architecture, or the text below it, has every module", async () => {
  const [, top = ""] = (await read("docs/explanation/architecture.md")).split(
    /^# Architecture$|^## From the contract/m,
  );
  for (const module of Object.keys(modules).filter((name) => !name.includes("/"))) {
    expect(top, module).toMatch(new RegExp(`(?<![\\w/.-])${module}(?![\\w/.-])`));
  }
});

test("every page of the manual is in its index", async () => {
  const index = await read("docs/README.md");
  const pages = (await pagesOfManual()).filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
  for (const page of pages) expect(index, page).toContain(`(${path.relative("docs", page)})`);
});

const recordFolder = "spec/decisions";
const recordsOf = async () => (await readdir(path.join(project, recordFolder))).filter((name) => /^\d{4}-/.test(name));

test("the list of decisions has each record once, and no other", async () => {
  const list = await read(`${recordFolder}/README.md`);
  const listed = [...list.matchAll(/^\| \[(\d{4})\]\((\1-[^)]+\.md)\)/gm)].map(([, , file]) => file);
  expect(listed.toSorted()).toEqual((await recordsOf()).toSorted());
});

test("every link between pages leads to a page and a heading that there are", async () => {
  const broken: string[] = [];
  const records = [...(await recordsOf()), "README.md"].map((name) => path.join(recordFolder, name));
  for (const page of [...(await pagesOfManual()), "docs/llms.txt", "CONTRIBUTING.md", ...records]) {
    for (const [, target = ""] of (await read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file = "", heading] = target.split("#");
      const linked = file === "" ? page : path.join(path.dirname(page), file);
      if (!(await isThere(linked, heading))) broken.push(`${page}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test("every record that the code names is there", async () => {
  const numbers = new Set((await recordsOf()).map((name) => name.slice(0, 4)));
  const missing: string[] = [];
  for (const folder of ["src", "test", "scripts", "spec/model"]) {
    const files = await readdir(path.join(project, folder), { recursive: true });
    for (const file of files.filter(
      (name) => /\.(?:ts|sql|qnt|rs|yaml)$/.test(name) && !/dist|node_modules/.test(name),
    )) {
      for (const [, number = ""] of (await read(path.join(folder, file))).matchAll(/decisions?[/ ](0\d{3})\b/g))
        if (!numbers.has(number)) missing.push(`${folder}/${file}: ${number}`);
    }
  }
  expect(missing).toEqual([]);
});

async function isThere(file: string, heading: string | undefined): Promise<boolean> {
  if (!file.endsWith(".md"))
    return readFile(path.join(project, file)).then(
      () => true,
      () =>
        readdir(path.join(project, file)).then(
          () => true,
          () => false,
        ),
    );
  const text = await read(file).catch(() => undefined);
  if (text === undefined) return false;
  return (
    heading === undefined || [...text.matchAll(/^#+ (.*)$/gm)].some(([, title = ""]) => anchorOf(title) === heading)
  );
}

/** As GitHub makes it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}
