import ts from "typescript";
import { lineAt, readSources, type Source } from "./layout/sources.js";
import type { Violation } from "./layout/violation.js";

const folders = ["src", "scripts", "test"];
const maxParameters = 3;
/** Sources of the clock and randomness for everything else. */
const readsClock = ["src/platform/", "src/node/", "src/certificates/acme/"];

/** Checks the rules of style that the formatter and the linter do not cover. */
export async function checkStyle(project: string): Promise<Violation[]> {
  const sources = (await Promise.all(folders.map((folder) => readSources(project, folder)))).flat();
  return sources.flatMap(checkNodes);
}

function checkNodes(source: Source): Violation[] {
  const found: Violation[] = [];
  const visit = (node: ts.Node): void => {
    const rule = checkNode(source.file, node);
    if (rule !== undefined) found.push({ file: source.file, line: lineAt(source, node.getStart()), rule });
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return found;
}

function checkNode(file: string, node: ts.Node): string | undefined {
  if (!file.startsWith("src/")) return undefined;
  if (ts.isFunctionLike(node) && "body" in node && node.body) return checkFunction(node);
  return checkExit(node) ?? (readsClock.some((folder) => file.startsWith(folder)) ? undefined : checkClock(node));
}

function checkFunction(node: ts.SignatureDeclaration): string | undefined {
  const names = node.parameters.filter(({ dotDotDotToken }) => !dotDotDotToken).map(({ name }) => name.getText());
  // Express recognises an error handler by its four parameters.
  const { length } = /^_?next$/.test(names.at(-1) ?? "") ? [] : names;
  return length > maxParameters ? `${length} parameters are more than ${maxParameters}: take an object` : undefined;
}

function checkExit(node: ts.Node): string | undefined {
  return ts.isCallExpression(node) && node.expression.getText() === "process.exit"
    ? "nothing calls process.exit"
    : undefined;
}

/** Outside of these, the time of day and randomness are passed in. */
function checkClock(node: ts.Node): string | undefined {
  const now = ts.isNewExpression(node) && node.expression.getText() === "Date" && !node.arguments?.length;
  const text = ts.isCallExpression(node) ? node.expression.getText() : "";
  if (!now && !["Date.now", "Math.random"].includes(text)) return undefined;
  return "clock and randomness are passed in: do not read them here";
}
