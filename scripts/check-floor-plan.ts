import { posix } from "node:path";
import ts from "typescript";
import { aboveTheRooms, browserRooms, floorPlan, openRooms, rootOnly } from "./house/floor-plan.js";
import { lineAt, readSources, type Source } from "./house/sources.js";
import type { Violation } from "./house/violation.js";

interface Import {
  specifier: string;
  position: number;
}

/**
 * Holds `src/` to the floor plan. Four laws: a room imports only the rooms that the table names; between rooms only
 * `service.ts` is a door; importing a type counts like any import; no file merely passes on what others export.
 */
export async function checkFloorPlan(project: string): Promise<Violation[]> {
  const sources = await readSources(project, "src");
  return sources.flatMap((source) => [...checkRoom(source), ...checkImports(source), ...checkBarrel(source)]);
}

function checkRoom(source: Source): Violation[] {
  const room = roomOf(source.file);
  if (isAbove(source.file) || Object.hasOwn(floorPlan, room)) return [];
  return [{ file: source.file, line: 1, rule: `there is no room "${room}" on the floor plan` }];
}

function checkImports(source: Source): Violation[] {
  return importsOf(source).flatMap(({ specifier, position }) => {
    const rule = specifier.startsWith(".")
      ? judgeInside(source.file, resolveImport(source.file, specifier))
      : judgePackage(source.file, specifier);
    return rule === undefined ? [] : [{ file: source.file, line: lineAt(source, position), rule }];
  });
}

function judgePackage(file: string, specifier: string): string | undefined {
  if (!browserRooms.includes(roomOf(file)) || !specifier.startsWith("node:")) return undefined;
  return `"${roomOf(file)}" runs in a browser and may not import ${specifier}`;
}

function judgeInside(file: string, target: string): string | undefined {
  const from = roomOf(file);
  const to = roomOf(target);
  if (!target.startsWith("src/") && !target.startsWith("generated/"))
    return `${target} is neither source nor generated`;
  if (isAbove(file)) return undefined;
  if (isAbove(target)) return `${target} stands above the rooms: "${from}" may not import it`;
  if (to !== "generated" && rootOnly.includes(posix.basename(target))) return `only src/relay.ts may import ${target}`;
  if (from === to) return undefined;
  if (!floorPlan[from]?.includes(to)) return `"${from}" may not import "${to}"`;
  if (openRooms.includes(to) || target === `src/${to}/service.ts`) return undefined;
  return `the door to "${to}" is service.ts, not ${target}`;
}

/** Every module named in the file: import, import type, export from, import(). */
function importsOf(source: Source): Import[] {
  const { importedFiles } = ts.preProcessFile(source.text, true, true);
  return importedFiles.map(({ fileName, pos }) => ({ specifier: fileName, position: pos }));
}

/** A barrel is a file named index.ts, one that exports everything of another, or one with nothing but exports-from. */
function checkBarrel({ file, tree }: Source): Violation[] {
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

function roomOf(file: string): string {
  const [top = "", room = ""] = file.split("/");
  return top === "src" ? room : top;
}

function isAbove(file: string): boolean {
  return file.startsWith("src/") && aboveTheRooms.includes(roomOf(file));
}
