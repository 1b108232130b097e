import fc from "fast-check";

/** The keywords of JSON Schema that the frames use. */
export interface PlainSchema {
  [keyword: string]: unknown;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, PlainSchema>;
  required?: string[];
  items?: PlainSchema;
  additionalProperties?: boolean;
}

const longestText = 64;
const longestList = 8;

/** Values that fit a schema. */
export function fitting(schema: PlainSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => fitting({ ...schema, type })));
  if (schema.type === "null") return fc.constant(null);
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "integer") {
    return fc.integer({
      min: bound(schema, "minimum", -(2 ** 31)),
      max: Math.min(bound(schema, "maximum", 2 ** 31), 2 ** 31),
    });
  }
  if (schema.type === "number") {
    return fc.double({ min: bound(schema, "minimum", -1e6), max: bound(schema, "maximum", 1e6), noNaN: true });
  }
  if (schema.type === "string") return text(schema);
  if (schema.type === "array") {
    const maxLength = Math.min(bound(schema, "maxItems", longestList), longestList);
    return fc.array(fitting(schema.items ?? {}), { minLength: bound(schema, "minItems", 0), maxLength });
  }
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => [name, fitting(member)] as const);
  return fc.record(Object.fromEntries(members), { requiredKeys: schema.required ?? [] }) as fc.Arbitrary<unknown>;
}

/** Values that violate an object's closed schema: a member is missing, superfluous, or of another type. */
export function unfitting(schema: PlainSchema): fc.Arbitrary<unknown> {
  const ways = fc.constantFrom("drop", "add", "retype", "junk");
  return fc.tuple(fitting(schema), fc.nat(), ways, fc.jsonValue()).map(([value, pick, way, junk]) => {
    const changed = structuredClone(value) as Record<string, unknown>;
    const required = schema.required ?? [];
    const names = Object.keys(schema.properties ?? {});
    if (way === "drop") delete changed[required[pick % required.length] ?? ""];
    else if (way === "add") changed[`x${pick % 9}`] = junk;
    else if (way === "retype") changed[names[pick % names.length] ?? ""] = { nested: [junk] };
    else return typeof junk === "object" && junk !== null && "type" in junk ? null : junk;
    return changed;
  });
}

function text(schema: PlainSchema): fc.Arbitrary<string> {
  const minLength = bound(schema, "minLength", 0);
  const maxLength = Math.min(bound(schema, "maxLength", longestText), Math.max(longestText, minLength));
  if (typeof schema["pattern"] !== "string") return fc.string({ minLength, maxLength, unit: "grapheme-ascii" });
  const longest = bound(schema, "maxLength", Number.POSITIVE_INFINITY);
  return fc
    .stringMatching(new RegExp(schema["pattern"]))
    .filter(({ length }) => length >= minLength && length <= longest);
}

function bound(schema: PlainSchema, keyword: string, otherwise: number): number {
  const value = schema[keyword];
  return typeof value === "number" ? value : otherwise;
}
