/** What of an OpenAPI document no validation looks at. */
const prose = new Set(["description", "summary", "title", "example", "examples", "externalDocs", "headers", "links"]);

/** Members that hold data, not schemas. */
const data = new Set(["default", "enum", "const", "required", "mapping", "x-error"]);

/**
 * The document as the validator is to see it. The validator goes through all of it for every schema that it compiles,
 * so what it does not need is left out: prose, examples, and the responses where they are not checked. Servers are left
 * out because paths are matched as they stand in the contract, wherever a proxy mounts the relay. Discriminators are
 * left out because the validator merges the members of one alternative into the next, and then refuses good bodies;
 * `oneOf` over single-valued tags says the same.
 */
export function slimDocument(document: unknown, options: { withResponses: boolean }): object {
  const { components, paths, ...rest } = slim(
    document,
    new Set(options.withResponses ? [] : ["responses"]),
  ) as Document;
  return { ...rest, info: { title: "contract", version: "1" }, servers: [{ url: "/" }], paths, components };
}

interface Document {
  components: object;
  paths: object;
}

function slim(node: unknown, unwanted: ReadonlySet<string>): unknown {
  if (Array.isArray(node)) return node.map((item) => slim(item, unwanted));
  if (typeof node !== "object" || node === null) return node;
  const kept = Object.entries(node).filter(([key]) => !isLeftOut(key, node, unwanted));
  return Object.fromEntries(kept.map(([key, value]) => [key, slimMember(key, value, unwanted)]));
}

function isLeftOut(key: string, node: object, unwanted: ReadonlySet<string>): boolean {
  return prose.has(key) || unwanted.has(key) || (key === "discriminator" && "oneOf" in node);
}

/** Members of a schema may have any name, also one that means something elsewhere. */
function slimMember(key: string, value: unknown, unwanted: ReadonlySet<string>): unknown {
  if (data.has(key)) return value;
  if (key !== "properties") return slim(value, unwanted);
  const members = Object.entries(value as object);
  return Object.fromEntries(members.map(([name, schema]) => [name, slim(schema, unwanted)]));
}
