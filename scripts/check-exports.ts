import { posix } from "node:path";
import ts from "typescript";
import { lineAt, readSources, type Source } from "./layout/sources.js";
import type { Violation } from "./layout/violation.js";

/** Files whose exports are used from outside: the packages' interfaces, and what vitest.config.ts imports. */
const interfaces = [
  "src/client/index.ts",
  "src/groups/index.ts",
  "src/groups/push/index.ts",
  "src/groups/react-native/index.ts",
  "src/groups/react-native/platform.ts",
  "test/support/longest-first.ts",
];
/** Programs that must not compile: their exports are their purpose. */
const exempt = /^test\/contract\/wrong\//;

interface Export {
  source: Source;
  name: string;
  position: number;
}

/** Reports names that a file exports and no other file imports. */
export async function checkExports(project: string): Promise<Violation[]> {
  const folders = await Promise.all(["src", "scripts", "test"].map((folder) => readSources(project, folder)));
  const sources = folders.flat();
  const files = new Set(sources.map(({ file }) => file));
  const used = new Set(sources.flatMap((source) => usesOf(source, files)));
  return sources
    .filter(({ file }) => !interfaces.includes(file) && !exempt.test(file))
    .flatMap(exportsOf)
    .filter(({ source: { file }, name }) => !used.has(`${file}#${name}`) && !used.has(`${file}#*`))
    .map(({ source, name, position }) => ({
      file: source.file,
      line: lineAt(source, position),
      rule: `"${name}" is exported, and no other file imports it`,
    }));
}

function exportsOf(source: Source): Export[] {
  return source.tree.statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) return [];
    return namesOf(statement).map((name) => ({ source, name, position: statement.getStart() }));
  });
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  return [(statement as unknown as ts.NamedDeclaration).name?.getText() ?? ""];
}

/** What a file imports from others, as `file#name`; `file#*` if it imports everything. */
function usesOf(source: Source, files: ReadonlySet<string>): string[] {
  const used: string[] = [];
  const visit = (node: ts.Node): void => {
    const { specifier, names } = takenBy(node);
    const target = specifier === undefined ? undefined : resolve(source.file, specifier, files);
    if (target !== undefined) used.push(...names.map((name) => `${target}#${name}`));
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return used;
}

function takenBy(node: ts.Node): { specifier?: string; names: string[] } {
  if (ts.isImportDeclaration(node)) {
    const bindings = node.importClause?.namedBindings;
    return { specifier: textOf(node.moduleSpecifier), names: bindings === undefined ? [] : namesTaken(bindings) };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    const names = node.exportClause === undefined ? ["*"] : namesTaken(node.exportClause);
    return { specifier: textOf(node.moduleSpecifier), names };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { specifier: textOf(node.argument.literal), names: [node.qualifier?.getText() ?? "*"] };
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && node.arguments[0]) {
    return { specifier: textOf(node.arguments[0]), names: ["*"] };
  }
  return { names: [] };
}

function namesTaken(bindings: ts.NamedImportBindings | ts.NamedExportBindings): string[] {
  if (!("elements" in bindings)) return ["*"];
  return bindings.elements.map(({ propertyName, name }) => (propertyName ?? name).text);
}

function textOf(node: ts.Node): string {
  return ts.isStringLiteralLike(node) ? node.text : "";
}

function resolve(file: string, specifier: string, files: ReadonlySet<string>): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const path = posix.join(posix.dirname(file), specifier);
  return [path.replace(/\.js$/, ".ts"), path.replace(/\.js$/, ".tsx"), path].find((target) => files.has(target));
}
