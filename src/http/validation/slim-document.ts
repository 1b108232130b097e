/** Members of an OpenAPI document that no validation reads. */
const prose = new Set(["description", "summary", "title", "example", "examples", "externalDocs", "headers", "links"]);

/** Members that hold data, not schemas. */
const data = new Set(["default", "enum", "const", "required", "mapping", "x-error"]);

/** Each schema that a validator compiles takes time in proportion to its document, and each validator takes time to load. */
const pathsPerPart = 8;

/**
 * The document as the validator gets it. Bodies that handlers read as they arrive are not validated. The validator goes through all of it for every schema that it compiles, so
 * everything that it does not need is left out: prose, examples, and the responses if they are not checked. The
 * document comes in parts, each with some of the paths and the components that they refer to. Servers are left out
 * because paths match as the contract has them, wherever a proxy mounts the relay. Discriminators are left out because
 * the validator merges the members of one alternative into the next and then refuses valid bodies; `oneOf` over
 * single-valued tags means the same.
 */
export function slimDocuments(document: unknown, options: { withResponses: boolean }): SlimDocument[] {
  const unwanted = new Set(options.withResponses ? [] : ["responses"]);
  const { components, paths: all, ...rest } = slim(document, unwanted) as SlimDocument;
  const paths = options.withResponses ? withErrorsAsDefault(all, components) : all;
  const base = { ...rest, info: { title: "contract", version: "1" }, servers: [{ url: "/" }] };
  return inParts(Object.entries(paths)).map((part) => ({
    ...base,
    paths: part,
    components: reached(part, components),
  }));
}

/** The members of an OpenAPI document that are read here. */
export interface SlimDocument {
  paths: Record<string, object>;
  components: Components;
}

type Components = Record<string, Record<string, object>>;

interface Operation {
  operationId: string;
  responses: Record<string, object>;
}

const errorBody = "#/components/schemas/ErrorBody";

/**
 * The validator compiles a schema for each status, and most of them are of errors, whose bodies have one form: it compiles that once. Which statuses an operation has is checked
 * by `documentedStatuses`.
 */
function withErrorsAsDefault(paths: SlimDocument["paths"], components: Components): SlimDocument["paths"] {
  const isError = (response: object) => schemaOf(response, components)?.$ref === errorBody;
  return mapOperations(paths, (operation) => {
    const responses = Object.entries(operation.responses);
    const error = responses.find(([, response]) => isError(response));
    const others = Object.fromEntries(responses.filter(([, response]) => !isError(response)));
    return { ...operation, responses: { ...others, ...(error && { default: error[1] }) } };
  });
}

function schemaOf(response: object, components: Components): { $ref?: string } | undefined {
  const { $ref: reference } = response as { $ref?: string };
  const described = reference === undefined ? response : components["responses"]?.[reference.split("/").at(-1) ?? ""];
  const { content } = (described ?? {}) as { content?: Record<string, { schema?: object }> };
  return content?.["application/json"]?.schema;
}

function mapOperations(
  paths: SlimDocument["paths"],
  change: (operation: Operation) => Operation,
): SlimDocument["paths"] {
  const changed = (member: object) => ("responses" in member ? change(member as Operation) : member);
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([name, member]) => [name, changed(member)])),
    ]),
  );
}

/** The statuses that the contract has for an operation, by its id: numbers, ranges such as `5XX`, or `default`. */
export function documentedStatuses(document: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  const { paths } = document as SlimDocument;
  const found = new Map<string, ReadonlySet<string>>();
  mapOperations(paths, (operation) => {
    found.set(operation.operationId, new Set(Object.keys(operation.responses)));
    return operation;
  });
  return found;
}

function inParts(paths: [string, object][]): Record<string, object>[] {
  const count = Math.ceil(paths.length / pathsPerPart);
  return Array.from({ length: count }, (_, part) =>
    Object.fromEntries(paths.slice(part * pathsPerPart, (part + 1) * pathsPerPart)),
  );
}

/** The components that `paths` refer to, directly or through others. Security schemes are referred to by their bare names. */
function reached(paths: object, components: Components): Components {
  const found: Components = { securitySchemes: components["securitySchemes"] ?? {} };
  const waiting: unknown[] = [paths];
  for (const node of waiting) {
    if (typeof node !== "object" || node === null) continue;
    waiting.push(...Object.values(node));
    const [root, , section = "", name = ""] = String((node as { $ref?: unknown }).$ref ?? "").split("/");
    const component = root === "#" ? components[section]?.[name] : undefined;
    if (component === undefined || found[section]?.[name] !== undefined) continue;
    found[section] = { ...found[section], [name]: component };
    waiting.push(component);
  }
  return found;
}

function slim(node: unknown, unwanted: ReadonlySet<string>): unknown {
  if (Array.isArray(node)) return node.map((item) => slim(item, unwanted));
  if (typeof node !== "object" || node === null) return node;
  const kept = Object.entries(node).filter(([key]) => !isLeftOut(key, node, unwanted));
  return Object.fromEntries(kept.map(([key, value]) => [key, slimMember(key, value, unwanted)]));
}

function isLeftOut(key: string, node: object, unwanted: ReadonlySet<string>): boolean {
  if (key === "requestBody" && "x-streamed-body" in node) return true;
  return prose.has(key) || unwanted.has(key) || (key === "discriminator" && "oneOf" in node);
}

/** Properties of a schema may have any name, also a name that has a meaning elsewhere. */
function slimMember(key: string, value: unknown, unwanted: ReadonlySet<string>): unknown {
  if (data.has(key)) return value;
  if (key !== "properties") return slim(value, unwanted);
  const members = Object.entries(value as object);
  return Object.fromEntries(members.map(([name, schema]) => [name, slim(schema, unwanted)]));
}
