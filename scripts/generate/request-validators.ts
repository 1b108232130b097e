import { writeFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneModule from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import { type SlimDocument, slimDocuments } from "../../src/http/validation/slim-document.js";
import { textPattern } from "../../src/http/validation/text-pattern.js";
import type { Contract, Parameter } from "./contract.js";

interface Operation {
  operationId: string;
  parameters?: (Pick<Parameter, "name" | "in" | "required" | "schema"> | { $ref: string })[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
}

const patternImport = 'import { textPattern } from "./src/http/validation/text-pattern.ts";';
const banner = "Made by `npm run generate` from spec/. Do not edit.";

/** Writes the compiled validators of every operation: one of its body, and one of its parameters. */
export async function writeRequestValidators(contract: Contract, root: URL): Promise<void> {
  await writeFile(new URL("generated/request-validators.js", root), await compileRequestValidators(contract));
}

/**
 * The text of a module with `bodyValidators` and `parameterValidators`, each a table by operation. The pipeline
 * (src/http/pipeline.ts) passes what they accept. What they refuse is explained by express-openapi-validator, which may
 * also find that it is right after all: a validator here must never accept what that one refuses.
 *
 * @param contract an OpenAPI document
 */
export async function compileRequestValidators(contract: unknown): Promise<string> {
  const parts = slimDocuments(contract, { withResponses: false });
  const schemas = Object.assign({}, ...parts.map(({ components }) => components["schemas"])) as object;
  const operations = parts.flatMap(operationsOf);
  const withParameters = operations.filter(({ operation }) => (operation.parameters ?? []).length > 0);
  return compile(
    { ...schemas, ...Object.fromEntries(withParameters.map((one) => [parametersName(one), parametersSchema(one)])) },
    {
      bodies: operations.filter(({ operation }) => operation.requestBody !== undefined).map(bodyOf),
      parameters: withParameters.map((one) => [one.operation.operationId, parametersName(one)]),
    },
  );
}

interface PlacedOperation {
  operation: Operation;
  components: SlimDocument["components"];
}

function operationsOf({ paths, components }: SlimDocument): PlacedOperation[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as Operation[]);
  return operations.map((operation) => ({ operation, components }));
}

function bodyOf({ operation: { operationId, requestBody } }: PlacedOperation): [string, string] {
  return [operationId, requestBody?.content["application/json"]?.schema.$ref.split("/").at(-1) ?? ""];
}

function parametersName({ operation }: PlacedOperation): string {
  return `${operation.operationId}Parameters`;
}

/** The parameters of an operation by place. Names of headers are in lower case, as Node gives them. */
function parametersSchema({ operation, components }: PlacedOperation): object {
  const parameters = (operation.parameters ?? []).map((one) => parameterOf(one, components));
  const places = (["path", "query", "header"] as const).map((place) => {
    const here = parameters.filter((one) => one.in === place);
    const nameOf = ({ name }: { name: string }) => (place === "header" ? name.toLowerCase() : name);
    const properties = Object.fromEntries(here.map((one) => [nameOf(one), one.schema]));
    return [place, { type: "object", required: here.filter(({ required }) => required).map(nameOf), properties }];
  });
  return { type: "object", required: ["path", "query", "header"], properties: Object.fromEntries(places) };
}

function parameterOf(one: Parameter | object, components: SlimDocument["components"]): Parameter {
  const name = "$ref" in one ? String(one.$ref).split("/").at(-1) : undefined;
  return (name === undefined ? one : components["parameters"]?.[name]) as Parameter;
}

interface Validators {
  /** Operations, and the names of their schemas. */
  bodies: [string, string][];
  parameters: [string, string][];
}

async function compile(schemas: object, { bodies, parameters }: Validators): Promise<string> {
  const regExp = Object.assign(textPattern, { code: "textPattern" });
  const ajv = new Ajv2020({
    formats: { int64: true },
    code: { source: true, esm: true, regExp },
    strict: false,
    logger: false,
    messages: false,
    useDefaults: true,
    // Counting a text's length in UTF-16 units is free. The count is never less than in characters, so a text may only be
    // found too long, and express-openapi-validator then accepts it; texts with a minimum length above one unit are all
    // ASCII by pattern.
    unicode: false,
  });
  const local = JSON.parse(JSON.stringify(schemas).replaceAll("#/components/schemas/", "contract#/definitions/"));
  ajv.addSchema({ $id: "contract", definitions: local });
  const schemaOf = (name: string) => `contract#/definitions/${name}`;
  const names = new Set([...bodies, ...parameters].map(([, name]) => name));
  // Each schema is exported once, because Ajv would declare the function of a schema exported under two names twice.
  const exported = Object.fromEntries([...names].map((name) => [validatorOf(name), schemaOf(name)]));
  const validators = standaloneModule.default(ajv, exported);
  const bundled = await build({
    stdin: {
      contents: `${patternImport}\n${validators}`,
      resolveDir: new URL("../../", import.meta.url).pathname,
      loader: "js",
    },
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["main"],
    legalComments: "none",
    // The output names its sources by path; it must not depend on where node_modules is linked from.
    preserveSymlinks: true,
  });
  const text = bundled.outputFiles?.[0]?.text ?? "";
  const end = text.lastIndexOf("export {");
  const table = `/** @type {Readonly<Record<string, (body: unknown) => boolean>>} */
export const bodyValidators = /** @type {any} */ ({ ${bodies.map(([id, name]) => `${id}: ${validatorOf(name)}`).join(", ")} });

/** @type {Readonly<Record<string, (given: { path: object, query: object, header: object }) => boolean>>} */
export const parameterValidators = /** @type {any} */ ({ ${parameters.map(([id, name]) => `${id}: ${validatorOf(name)}`).join(", ")} });
`;
  return `// ${banner}\n${text.slice(0, end)}\n${table}`;
}

function validatorOf(schema: string): string {
  return `accepts${schema}`;
}
