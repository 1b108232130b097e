import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import ts from "typescript";
import { findImportLoops } from "./layout/import-loops.js";
import {
  aboveTheModules,
  compositionOnly,
  driverPackages,
  type ModulePlan,
  modules,
  nested,
  publicFiles,
  readModels,
} from "./layout/modules.js";
import { lineAt, readSources, type Source } from "./layout/sources.js";
import type { Violation } from "./layout/violation.js";

export interface Plan {
  modules: Readonly<Record<string, ModulePlan>>;
  /** Every table of the migrated database. */
  tables: readonly string[];
}

interface Import {
  specifier: string;
  position: number;
}

/**
 * Checks `src/` against the table of modules: an import is granted, a grant is used, between modules only `service.ts` and
 * `types.ts` are public, neither files nor folders import each other in a circle (types included), SQL names only the
 * module's own tables, and no file only re-exports what others declare.
 */
export async function checkModules(project: string, plan?: Plan): Promise<Violation[]> {
  const sources = await readSources(project, "src");
  const used = plan ?? { modules, tables: await readTables(project) };
  return [
    ...sources.flatMap((source) => [
      ...checkKnown(source, used),
      ...checkImports(source, used),
      ...checkBarrel(source),
      ...checkTables(source, used),
    ]),
    ...findUnusedGrants(sources, used),
    ...findImportLoops(importsOfFiles(sources)),
    ...findImportLoops(importsOfFolders(sources)),
  ];
}

async function readTables(project: string): Promise<string[]> {
  const schema = await readFile(join(project, "test/schema.sql"), "utf8");
  return [...schema.matchAll(/^create (?:unlogged )?table "?(\w+)/gm)].map(([, name = ""]) => name);
}

function checkKnown({ file }: Source, { modules: known }: Plan): Violation[] {
  const name = moduleOf(file);
  if (isAbove(file) || Object.hasOwn(known, name)) return [];
  return [{ file, line: 1, rule: `there is no module "${name}" in the table of modules` }];
}

function checkImports(source: Source, plan: Plan): Violation[] {
  return importsOf(source).flatMap(({ specifier, position }) => {
    const rule = specifier.startsWith(".")
      ? checkFile(source.file, resolveImport(source.file, specifier), plan)
      : checkPackage(source.file, specifier, plan);
    return rule === undefined ? [] : [{ file: source.file, line: lineAt(source, position), rule }];
  });
}

function checkPackage(file: string, specifier: string, plan: Plan): string | undefined {
  const name = moduleOf(file);
  if (driverPackages.includes(specifier) && folderOf(name) !== "database") {
    return `only src/database may import ${specifier}`;
  }
  if (!plan.modules[name]?.browser || !specifier.startsWith("node:")) return undefined;
  return `"${name}" runs in a browser and may not import ${specifier}`;
}

function checkFile(file: string, target: string, plan: Plan): string | undefined {
  const from = moduleOf(file);
  const to = moduleOf(target);
  if (!target.startsWith("src/") && !target.startsWith("generated/"))
    return `${target} is neither source nor generated`;
  if (isAbove(target)) return checkAbove(from, target);
  if (to !== "generated" && from !== "composition" && compositionOnly.includes(posix.basename(target)))
    return `only src/composition may import ${target}`;
  if (from === to || isAbove(file)) return undefined;
  if (!plan.modules[from]?.imports.includes(to)) return `"${from}" may not import "${to}"`;
  if (to === "generated" || folderOf(from) === folderOf(to) || plan.modules[to]?.open) return undefined;
  if (publicFiles.includes(posix.basename(target))) return undefined;
  return `the public interface of "${to}" is ${publicFiles.join(" and ")}, not ${target}`;
}

/** Code above the modules may import only what the table names for it, and no module may import it. */
function checkAbove(from: string, target: string): string | undefined {
  const to = folderOf(moduleOf(target));
  if (from === to || aboveTheModules[from]?.includes(to)) return undefined;
  return `${target} is above the modules: "${from}" may not import it`;
}

/** A grant that no import uses would permit an import that nobody decided on. */
function findUnusedGrants(sources: readonly Source[], plan: Plan): Violation[] {
  const imported = new Map<string, Set<string>>();
  for (const source of sources) {
    const from = moduleOf(source.file);
    const targets = imported.get(from) ?? new Set<string>();
    for (const target of targetsOf(source)) targets.add(moduleOf(target));
    imported.set(from, targets);
  }
  const ofModules = Object.entries(plan.modules).map(([name, { imports }]) => [name, imports] as const);
  return [...ofModules, ...Object.entries(aboveTheModules)].flatMap(([name, imports]) =>
    imports
      .filter((granted) => imported.has(name) && !imported.get(name)?.has(granted))
      .map((granted) => ({ file: "scripts/layout/modules.ts", line: 1, rule: `"${name}" does not use "${granted}"` })),
  );
}

const sqlNames = /\b(?:from|into|update|join|truncate|copy|table)\s+(?:only\s+)?"?([a-z_]+)"?/gi;

const builders: ReadonlySet<string> = new Set(["listOf"]);

/**
 * Looks for SQL in string literals, and for the tables of built statements. A name after `from`, `into`, `update` and the like
 * is a table, or one of the statement's own.
 */
function checkTables(source: Source, plan: Plan): Violation[] {
  if (isAbove(source.file) || source.file.includes("/migrations/")) return [];
  if (readModels.includes(posix.basename(source.file))) return [];
  const own = plan.modules[moduleOf(source.file)]?.tables ?? [];
  const found: Violation[] = [];
  const check = (name: string, node: ts.Node): void => {
    if (!plan.tables.includes(name) || own.includes(name)) return;
    const rule = `"${moduleOf(source.file)}" does not own the table ${name}`;
    found.push({ file: source.file, line: lineAt(source, node.getStart()), rule });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      for (const [, name = ""] of node.getText().matchAll(sqlNames)) check(name, node);
    }
    if (ts.isCallExpression(node) && builders.has(node.expression.getText())) {
      const [table] = node.arguments;
      if (table !== undefined && ts.isStringLiteralLike(table)) check(table.text, table);
    }
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return found;
}

/** Every file named in the source: import, import type, export from, import(). */
function importsOf(source: Source): Import[] {
  const { importedFiles } = ts.preProcessFile(source.text, true, true);
  return importedFiles.map(({ fileName, pos }) => ({ specifier: fileName, position: pos }));
}

function targetsOf(source: Source): string[] {
  const relative = importsOf(source).filter(({ specifier }) => specifier.startsWith("."));
  return relative.map(({ specifier }) => resolveImport(source.file, specifier));
}

/** What each file imports. The ending of an import is that of JavaScript, whichever of `.ts` and `.tsx` the file has. */
function importsOfFiles(sources: readonly Source[]): Map<string, string[]> {
  const files = new Set(sources.map(({ file }) => file));
  const found = (target: string) => (files.has(target) ? target : `${target}x`);
  return new Map(sources.map((source) => [source.file, targetsOf(source).map(found)]));
}

/** The folders from which the files of each folder import. */
function importsOfFolders(sources: readonly Source[]): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const source of sources) {
    const folder = posix.dirname(source.file);
    const targets = targetsOf(source).map((target) => posix.dirname(target));
    folders.set(folder, [...(folders.get(folder) ?? []), ...targets.filter((target) => target !== folder)]);
  }
  return folders;
}

/** What other projects import from a package. */
const packageInterfaces = [
  "src/client/index.ts",
  "src/groups/index.ts",
  "src/groups/push/index.ts",
  "src/groups/react-native/index.ts",
  // Its build puts them in place of globals.
  "src/groups/react-native/platform.ts",
];

/** A barrel is a file named index.ts, one that exports everything of another, or one with nothing but exports-from. */
function checkBarrel({ file, tree }: Source): Violation[] {
  if (packageInterfaces.includes(file)) return [];
  const passesOn = tree.statements.filter(
    (statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier,
  );
  const everything = passesOn.some((statement) => ts.isExportDeclaration(statement) && !statement.exportClause);
  const nothingElse = passesOn.length > 0 && passesOn.length === tree.statements.length;
  if (posix.basename(file) !== "index.ts" && !everything && !nothingElse) return [];
  return [{ file, line: 1, rule: "this is a barrel: import from the file that declares" }];
}

function resolveImport(file: string, specifier: string): string {
  return posix.join(posix.dirname(file), specifier).replace(/\.js$/, ".ts");
}

/** `src/messages/queue/store.ts` belongs to "messages/queue", `src/messages/service.ts` to "messages". */
function moduleOf(file: string): string {
  const [top = "", folder = "", sub = "", deeper] = file.split("/");
  if (top !== "src") return top;
  return nested.includes(folder) && deeper !== undefined ? `${folder}/${sub}` : folder;
}

/** The folder of `src/` that contains a module. */
function folderOf(module: string): string {
  return module.split("/")[0] ?? module;
}

function isAbove(file: string): boolean {
  return file.startsWith("src/") && Object.hasOwn(aboveTheModules, moduleOf(file));
}
