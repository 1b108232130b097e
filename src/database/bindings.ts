/** Values of a statement by name. An array is sent as one PostgreSQL array. */
export type Bindings = Readonly<Record<string, unknown>>;

interface Statement {
  text: string;
  names: readonly string[];
}

/** A statement in PostgreSQL's own form, with a name under which a connection may keep it prepared. */
interface Prepared extends Statement {
  name: string;
}

// Literals, comments and quoted identifiers are skipped. `:name` is a binding unless another colon precedes it (a cast).
// A bare question mark is a PostgreSQL operator and is escaped for the query builder.
const tokens = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|(?<!:):([a-z_]\w*)|\?/gi;
const parsed = new Map<string, Statement>();
const numbered = new Map<string, Statement>();
const prepared = new Map<string, Prepared>();
const parsedLimit = 2000;

/**
 * Turns `:name` into the builder's positional placeholders. The builder's own named bindings are not used because they
 * split `:ids::text[]` in the wrong place.
 */
export function bind(sql: string, bindings: Bindings): { text: string; values: unknown[] } {
  const statement = parsed.get(sql) ?? remember(sql);
  return { text: statement.text, values: statement.names.map((name) => bound(bindings, name)) };
}

/** The same in PostgreSQL's own form. A repeated name gets another number each time, and so may have another type. */
export function bindNumbered(sql: string, bindings: Bindings): { text: string; values: unknown[] } {
  const statement = numbered.get(sql) ?? rememberNumbered(sql);
  return { text: statement.text, values: statement.names.map((name) => bound(bindings, name)) };
}

/** The statement with `$1` in place of a name; a repeated name keeps its number. */
export function prepare(sql: string): Prepared {
  const known = prepared.get(sql);
  if (known !== undefined) return known;
  const names: string[] = [];
  const text = sql.replace(tokens, (match, name: string | undefined) => {
    if (name === undefined) return match;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const statement = { text, names, name: `relay_${prepared.size}` };
  if (prepared.size >= parsedLimit) throw new Error("too many different statements are prepared");
  prepared.set(sql, statement);
  return statement;
}

/** The values of a prepared statement, in order. */
export function valuesOf({ names }: Prepared, bindings: Bindings): unknown[] {
  return names.map((name) => {
    const value = bound(bindings, name);
    return Array.isArray(value) ? arrayText(value) : value;
  });
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

function remember(sql: string): Statement {
  const names: string[] = [];
  const text = sql.replace(tokens, (match, name: string | undefined) => {
    if (name !== undefined) {
      names.push(name);
      return "?";
    }
    return match.replaceAll("?", "\\?");
  });
  const statement = { text, names };
  if (parsed.size < parsedLimit) parsed.set(sql, statement);
  return statement;
}

function rememberNumbered(sql: string): Statement {
  const names: string[] = [];
  const text = sql.replace(tokens, (match, name: string | undefined) =>
    name === undefined ? match : `$${names.push(name)}`,
  );
  const statement = { text, names };
  if (numbered.size < parsedLimit) numbered.set(sql, statement);
  return statement;
}

function bound(bindings: Bindings, name: string): unknown {
  const value = bindings[name];
  if (value === undefined) throw new Error(`the statement's binding ${name} has no value`);
  return value;
}
