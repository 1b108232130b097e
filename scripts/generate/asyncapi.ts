import { readFile, writeFile } from "node:fs/promises";
import { DiagnosticSeverity, Parser } from "@asyncapi/parser";
import { Ajv } from "ajv";
import standaloneModule from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import openapiTypes, { astToString } from "openapi-typescript";
import { parse, stringify } from "yaml";
import { BASE64 } from "./publish/plain-schemas.js";
import { shapeOf } from "./shapes.js";

type Json = { [member: string]: unknown };
type Schemas = Record<string, Json>;
interface Directions {
  receive: Set<string>;
  send: Set<string>;
}

const banner = "Made by `npm run generate` from spec/asyncapi.yaml. Do not edit.";

/**
 * Makes the stream's part of `generated/` from `spec/asyncapi.yaml`: the bundled document, the types of the frames in both
 * directions, and stand-alone validators for them.
 * @param root the project's folder, ending in a slash
 * @param outDir the folder to write to; by default `generated/` in the project
 * @throws where the parser reports an error or a warning
 */
export async function generateAsyncapi(root: URL, outDir: URL = new URL("generated/", root)): Promise<void> {
  const document = await bundle(new URL("spec/asyncapi.yaml", root));
  const directions = frameDirections(document);
  const schemas = frameSchemas(document, directions);
  await rejectFaults(withUnions(document, schemas));
  const publishedText = JSON.stringify(withUnions(document, schemas), null, 2);
  await Promise.all([
    writeFile(new URL("asyncapi.json", outDir), `${publishedText}\n`),
    writeFile(
      new URL("asyncapi.yaml", outDir),
      `# ${banner}\n${stringify(JSON.parse(publishedText), { aliasDuplicateObjects: false, lineWidth: 120 })}`,
    ),
    writeFile(new URL("frames.ts", outDir), await framesModule(document, schemas)),
    writeFile(new URL("frame-validators.js", outDir), await validatorsModule(schemas)),
  ]);
}

/**
 * Reads the document and moves every schema that it refers to in another file to components.schemas.
 *
 * Not by `@asyncapi/bundler` (1.0.2): it copies schemas into the messages instead of naming them in components.schemas, from
 * which types and validators are made, and fails on `ClientFrame` and `ServerFrame`, which only generation adds.
 */
async function bundle(entry: URL): Promise<Json> {
  const files = new Map<string, Json>();
  const schemas: Schemas = {};
  const load = async (file: URL): Promise<Json> => {
    const known = files.get(file.href);
    if (known) return known;
    const content = parse(await readFile(file, "utf8"), { merge: true }) as Json;
    files.set(file.href, content);
    return content;
  };
  const resolve = async (value: unknown, file: URL): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map((item) => resolve(item, file)));
    if (!isObject(value)) return value;
    const reference = value["$ref"];
    if (typeof reference === "string" && !(file.href === entry.href && reference.startsWith("#")))
      return { $ref: await addSchema(new URL(reference, file)) };
    const pairs = Object.entries(value).map(async ([key, item]) => [key, await resolve(item, file)] as const);
    return Object.fromEntries(await Promise.all(pairs));
  };
  const addSchema = async (target: URL): Promise<string> => {
    const name = target.hash.split("/").at(-1) ?? "";
    if (!(name in schemas)) {
      schemas[name] = {};
      const file = new URL(target.href.slice(0, target.href.length - target.hash.length));
      schemas[name] = (await resolve(member(await load(file), target.hash), file)) as Json;
    }
    return `#/components/schemas/${name}`;
  };
  const document = (await resolve(await load(entry), entry)) as Json;
  const components = document["components"] as Json;
  components["schemas"] = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return document;
}

async function rejectFaults(document: Json): Promise<void> {
  const { diagnostics } = await new Parser().parse(JSON.stringify(document));
  const faults = diagnostics.filter(({ severity }) => severity <= DiagnosticSeverity.Warning);
  if (faults.length === 0) return;
  const lines = faults.map((fault) => `${fault.path.join(".")}: ${fault.message} (${fault.code})`);
  throw new Error(`spec/asyncapi.yaml:\n${lines.join("\n")}`);
}

/** Which messages travel to the server (receive) and from it (send), by the operations' actions. */
function frameDirections(document: Json): Directions {
  const directions: Directions = { receive: new Set(), send: new Set() };
  for (const operation of Object.values(document["operations"] as Record<string, Json>)) {
    const messages = operation["messages"] as { $ref: string }[];
    const into = directions[operation["action"] as keyof Directions];
    for (const { $ref } of messages) into.add($ref.split("/").at(-1) ?? "");
  }
  return directions;
}

/** The schemas and the two unions, which map the type on the wire to the schema of the frame. */
function frameSchemas(document: Json, directions: Directions): Schemas {
  const components = document["components"] as {
    schemas: Schemas;
    messages: Record<string, { payload: { $ref: string } }>;
  };
  const union = (names: Set<string>): Json => {
    const mapping = Object.fromEntries([...names].map((name) => [name, components.messages[name]?.payload.$ref ?? ""]));
    return {
      type: "object",
      required: ["type"],
      oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
      discriminator: { propertyName: "type", mapping },
    };
  };
  return {
    ...components.schemas,
    ClientFrame: { description: "Any frame that a client sends.", ...union(directions.receive) },
    ServerFrame: { description: "Any frame that the server sends.", ...union(directions.send) },
  };
}

/** The document as it is published: with the unions, and without constructs that tools read differently. */
function withUnions(document: Json, schemas: Schemas): Json {
  const { components } = document as { components: Json };
  const named = Object.entries(schemas).flatMap(([name, schema]) => publishedSchemas(name, schema));
  return { ...document, components: { ...components, schemas: Object.fromEntries(named.sort(byName)) } };
}

/**
 * Linters disagree whether a discriminator is a string or an object, so it is left out: the `type` of each frame says the
 * same. That type is a named enum of one value, because some generators write constants that do not compile.
 */
function publishedSchemas(name: string, { discriminator: _, ...schema }: Json): [string, Json][] {
  if (schema["pattern"] === BASE64) return [[name, { ...schema, format: "byte" }]];
  const { type, ...members } = (schema["properties"] ?? {}) as Schemas;
  if (type?.["const"] === undefined) return [[name, schema]];
  const properties = { type: { $ref: `#/components/schemas/${name}Type` }, ...members };
  const typeSchema = { type: "string", description: "What kind of frame it is.", enum: [type["const"]] };
  return [
    [name, { ...schema, properties }],
    [`${name}Type`, typeSchema],
  ];
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function optionalMembers(schemas: Schemas, from = "ClientFrame", found = new Set<string>()): Set<string> {
  const {
    properties = {},
    required = [],
    oneOf = [],
  } = schemas[from] as {
    properties?: Record<string, { $ref?: string; type?: string | string[] }>;
    required?: string[];
    oneOf?: { $ref: string }[];
  };
  for (const [name, { $ref, type }] of Object.entries(properties)) {
    if (!required.includes(name) && ![type].flat().includes("null")) found.add(name);
    if ($ref !== undefined) optionalMembers(schemas, nameOf($ref), found);
  }
  for (const { $ref } of oneOf) optionalMembers(schemas, nameOf($ref), found);
  return found;
}

function nameOf(reference: string): string {
  return reference.split("/").at(-1) ?? "";
}

async function framesModule(document: Json, schemas: Schemas): Promise<string> {
  // openapi-typescript modifies its input, so it gets a copy.
  const source = { openapi: "3.1.0", info: { title: "frames", version: "1" }, paths: {}, components: { schemas } };
  const ast = await openapiTypes(structuredClone(source) as never, {
    exportType: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    alphabetize: true,
  });
  const channel = (document["channels"] as Record<string, Json>)["stream"] ?? {};
  return [
    `// ${banner}`,
    'import type { Shape } from "./answer-shapes.js";',
    astToString(ast),
    "/** The path of the stream. */",
    `export const streamPath = ${JSON.stringify(channel["address"])};`,
    "",
    "/** Why the server closes a stream: WebSocket close codes and reasons. */",
    `export const closeCodes = ${JSON.stringify(channel["x-close-codes"], null, 2)} as const;`,
    "",
    "/** Members of the client's frames that may be left out, and for which null means nothing else. */",
    `export const optionalMembers: readonly string[] = ${JSON.stringify([...optionalMembers(schemas)])};`,
    "",
    "/** The shapes of the server's frames, by type. */",
    `export const frameShapes = {\n${serverFrameShapes(schemas)}\n} as const satisfies Record<ServerFrame["type"], Shape>;`,
    "",
  ].join("\n");
}

function serverFrameShapes(schemas: Schemas): string {
  const frames = (schemas["ServerFrame"] as { oneOf: { $ref: string }[] }).oneOf.map(
    ({ $ref }) => schemas[nameOf($ref)],
  );
  const lines = frames.map((frame = {}) => {
    const { type } = frame["properties"] as { type: { const: string } };
    return `  ${type.const}: ${shapeOf(frame, schemas, { optional: true })},`;
  });
  return lines.join("\n");
}

async function validatorsModule(schemas: Schemas): Promise<string> {
  const ajv = new Ajv({
    formats: { int64: true },
    code: { source: true, esm: true },
    discriminator: true,
    strictRequired: false,
    strictTypes: false,
  });
  // Members of schemas that the OpenAPI document shares and that validate nothing.
  ajv.addVocabulary(["x-error", "x-hint", "x-open-because"]);
  const local = JSON.parse(
    JSON.stringify(schemas).replaceAll("#/components/schemas/", "frames#/definitions/"),
  ) as Schemas;
  for (const union of [local["ClientFrame"], local["ServerFrame"]])
    (union as { discriminator: Json }).discriminator = { propertyName: "type" };
  ajv.addSchema({ $id: "frames", definitions: local });
  const code = standaloneModule.default(ajv, {
    clientFrame: "frames#/definitions/ClientFrame",
    serverFrame: "frames#/definitions/ServerFrame",
  });
  // Ajv's own helpers are bundled, so that the module is self-contained and has no require().
  const bundled = await build({
    stdin: { contents: code, resolveDir: new URL("../../", import.meta.url).pathname, loader: "js" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["main"],
    legalComments: "none",
    // The output names its sources by path; it must not depend on where node_modules is linked from.
    preserveSymlinks: true,
  });
  return typedExports(bundled.outputFiles[0]?.text ?? "");
}

/** Types the two functions in comments, which the compiler reads while it copies the file unchanged. */
function typedExports(code: string): string {
  const end = code.lastIndexOf("export {");
  const exported = code.slice(end).replace(/\s+/g, "");
  if (exported !== "export{clientFrame,serverFrame};") throw new Error(`the compiled validators end in ${exported}`);
  return `// ${banner}
/**
 * @typedef {{ instancePath: string, message?: string, keyword: string, params: Record<string, unknown> }} FrameFault
 */
/**
 * @template F
 * @typedef {{ (frame: unknown): frame is F, errors?: FrameFault[] | null }} FrameValidator
 */
${code.slice(0, end)}
/** @type {FrameValidator<import('./frames.js').ClientFrame>} */
export const validateClientFrame = /** @type {any} */ (clientFrame);
/** @type {FrameValidator<import('./frames.js').ServerFrame>} */
export const validateServerFrame = /** @type {any} */ (serverFrame);
`;
}

function member(content: Json, hash: string): unknown {
  let value: unknown = content;
  for (const part of hash.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    value = isObject(value) ? value[key] : undefined;
  }
  if (value === undefined) throw new Error(`a reference to ${hash} does not resolve`);
  return value;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
