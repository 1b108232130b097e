/** Characters that move a terminal's cursor or reverse its text; JSON does not escape those beyond ASCII. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** Values that need no quotation marks. */
const plainValue = /^[\w.:/@+,[\]-]+$/;
const levelWidth = 5;

interface ErrorOfLine {
  message?: unknown;
  type?: unknown;
  code?: unknown;
  stack?: unknown;
  cause?: unknown;
}

/** A line of the JSON log as text for people: `09:41:07.123 info  serving  domain=relay.example`. */
export function textOfLine(line: string, withStacks: boolean): string {
  const { level, time, msg, err, ...facts } = JSON.parse(line) as Record<string, unknown>;
  const clock = String(time).slice(11, 23);
  const shown = Object.entries(facts).map(([name, value]) => `${name}=${textOf(value)}`);
  const problem = err === undefined ? [] : [`error=${textOf(describe(err as ErrorOfLine))}`];
  const text = [clock, String(level).padEnd(levelWidth), msg ?? "", ...problem, ...shown].join(" ");
  const stack = withStacks || level === "fatal" ? stackOf(err as ErrorOfLine | undefined) : "";
  return `${escaped(text)}\n${stack}`;
}

function textOf(value: unknown): string {
  if (typeof value === "string" && plainValue.test(value)) return value;
  return JSON.stringify(value);
}

/** An error and its causes in one text. */
function describe(error: ErrorOfLine): string {
  const { message, type, code, cause } = error;
  const own = String(message || type || "unknown");
  const coded = typeof code === "string" && !own.includes(code) ? `${own} (${code})` : own;
  return typeof cause === "object" && cause !== null ? `${coded}: ${describe(cause as ErrorOfLine)}` : coded;
}

function stackOf(error: ErrorOfLine | undefined): string {
  if (typeof error?.stack !== "string" || error.stack === "") return "";
  return `${error.stack.split("\n").map(escaped).join("\n")}\n`;
}

function escaped(text: string): string {
  return text.replaceAll(unprintable, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
