/** Values of a statement by name. An array is sent as one PostgreSQL array. */
export type Bindings = Readonly<Record<string, unknown>>;

interface Statement {
  text: string;
  names: readonly string[];
}

// Literals, comments and quoted identifiers are passed over; `:name` is a binding unless a second colon precedes it
// (a cast); a bare question mark is PostgreSQL's operator and is escaped for the query builder.
const tokens = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|(?<!:):([a-z_]\w*)|\?/gi;
const parsed = new Map<string, Statement>();
const parsedLimit = 2000;

/**
 * Turns `:name` into the builder's positional marks. The builder's own named bindings are not used because they take
 * `:ids::text[]` apart in the wrong place.
 */
export function bind(sql: string, bindings: Bindings): { text: string; values: unknown[] } {
  const statement = parsed.get(sql) ?? remember(sql);
  return { text: statement.text, values: statement.names.map((name) => bound(bindings, name)) };
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

function bound(bindings: Bindings, name: string): unknown {
  const value = bindings[name];
  if (value === undefined) throw new Error(`the statement's binding ${name} has no value`);
  return value;
}
