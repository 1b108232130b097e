type Json = Record<string, unknown>;

/**
 * The AsyncAPI document in the form that its renderer accepts without parsing it again (which would need `eval` in the
 * browser): every reference is replaced by its target, and named objects are marked with their names.
 */
export function preparedAsyncapi(document: Json): Json {
  const marked = structuredClone(document);
  const { channels, operations, components } = marked as { channels?: Json; operations?: Json; components?: Json };
  mark(channels, ["x-parser-unique-object-id"]);
  mark(operations, ["x-parser-unique-object-id"]);
  mark(components?.["messages"], ["x-parser-unique-object-id", "x-parser-message-name"]);
  mark(components?.["schemas"], ["x-parser-schema-id"]);
  return { ...(resolved(marked, marked) as Json), "x-parser-spec-parsed": true, "x-parser-api-version": 3 };
}

/** Only objects are marked; a schema may also be `true`, and a reference takes the mark of its target. */
function mark(named: unknown, members: string[]): void {
  for (const [name, value] of Object.entries(named ?? {})) {
    if (typeof value !== "object" || value === null || "$ref" in value) continue;
    for (const member of members) (value as Json)[member] = name;
  }
}

/** The contract has no circular references, so this ends. */
function resolved(value: unknown, document: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(item, document));
  if (typeof value !== "object" || value === null) return value;
  const reference = (value as Json)["$ref"];
  if (typeof reference === "string") return resolved(target(reference, document), document);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolved(item, document)]));
}

function target(reference: string, document: Json): unknown {
  const keys = reference.slice("#/".length).split("/");
  const spelled = keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  return spelled.reduce<unknown>((value, key) => (value as Json | undefined)?.[key], document);
}
