/** Values of a statement by name. An array is sent as one PostgreSQL array. */
export type Bindings = Readonly<Record<string, unknown>>;

/** A statement in PostgreSQL's own form: each name has become `$1`, `$2`, …, the same one wherever it occurs. */
interface Statement {
  readonly text: string;
  /** The names, in the order of their numbers. */
  readonly names: readonly string[];
  /** Under this name a connection may keep the statement prepared. No other statement of the process has it. */
  readonly name: string;
}

// Literals, comments and quoted identifiers are skipped. `:name` is a binding unless another colon precedes it (a cast).
const tokens = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|(?<!:):([a-z_]\w*)/gi;
const statements = new Map<string, Statement>();
const maxStatements = 2000;
let parsed = 0;

/**
 * Parses a statement whose bindings are written `:name`. All uses of a name have one type, so if a name is needed with
 * several types, each use is cast.
 */
export function parseStatement(sql: string): Statement {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const names: string[] = [];
  const text = sql.replace(tokens, (match, name: string | undefined) => {
    if (name === undefined) return match;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const statement = { text, names, name: `relay_${++parsed}` };
  if (statements.size >= maxStatements) forgetOldest();
  statements.set(sql, statement);
  return statement;
}

/** Statements that name tables by the day are all different. A forgotten one that is used again gets another name. */
function forgetOldest(): void {
  for (const oldest of statements.keys()) {
    statements.delete(oldest);
    return;
  }
}

/** The values of a statement, in order. Throws if one is missing; null is a value. */
export function valuesOf({ names }: Statement, bindings: Bindings): unknown[] {
  return names.map((name) => valueNamed(name, bindings));
}

/** The same for connections that send statements without waiting, which write arrays faster than the driver does. */
export function writtenValuesOf({ names }: Statement, bindings: Bindings): unknown[] {
  return names.map((name) => {
    const value = valueNamed(name, bindings);
    return Array.isArray(value) ? arrayText(value) : value;
  });
}

function valueNamed(name: string, bindings: Bindings): unknown {
  const value = bindings[name];
  if (value === undefined) throw new Error(`the statement's binding ${name} has no value`);
  return value;
}

/** An array as PostgreSQL writes it. Every element of a text array is quoted, so that none is taken for NULL. */
function arrayText(values: readonly unknown[]): string {
  return `{${values.map(elementText).join(",")}}`;
}

const needsEscape = /["\\]/;

function elementText(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (value === null || value === undefined) return "NULL";
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString("hex")}"`;
  const text = String(value);
  return `"${needsEscape.test(text) ? text.replaceAll(/["\\]/g, "\\$&") : text}"`;
}
