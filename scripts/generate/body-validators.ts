import { writeFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneModule from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import { slimDocuments } from "../../src/http/docs/slim-document.js";
import { textPattern } from "../../src/http/validation/text-pattern.js";
import type { Contract, Parameter } from "./contract.js";

interface Operation {
  operationId: string;
  parameters?: Pick<Parameter, "name" | "in" | "required" | "schema">[];
  security?: Record<string, unknown>[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
}

const patternImport = 'import { textPattern } from "./src/http/validation/text-pattern.ts";';
const banner = "Made by `npm run generate` from spec/. Do not edit.";

/**
 * Compiles stand-alone checks for each operation of devices and peers that takes a JSON body and nothing but that, save
 * headers and an end of its path: one of the body, and one of these. The front door lets what passes them take the short
 * way (src/http/fast-path.ts); what does not is judged by the validator itself.
 */
export async function writeBodyValidators(contract: Contract, root: URL): Promise<void> {
  const parts = slimDocuments(contract, { withResponses: false });
  const schemas = Object.assign({}, ...parts.map(({ components }) => components["schemas"])) as object;
  const operations = parts.flatMap((part) => Object.entries(part.paths)).flatMap(operationsOf);
  const withParameters = operations.filter(({ parameters = [] }) => parameters.length > 0);
  const code = await compile(
    { ...schemas, ...Object.fromEntries(withParameters.map((one) => [parametersName(one), parametersOf(one)])) },
    { bodies: operations.map(bodyOf), parameters: withParameters.map((one) => [one.operationId, parametersName(one)]) },
  );
  await writeFile(new URL("generated/body-validators.js", root), code);
}

function operationsOf([path, item]: [string, object]): Operation[] {
  return (Object.values(item) as Operation[]).filter((operation) => isPlain(operation, path));
}

function isPlain({ parameters = [], security = [], requestBody }: Operation, path: string): boolean {
  const isCallers = security.some((one) => "deviceToken" in one || "federationToken" in one);
  const isAtEnd = !path.slice(0, path.lastIndexOf("/")).includes("{");
  return requestBody !== undefined && isCallers && isAtEnd && parameters.every((one) => one.in !== "query");
}

function bodyOf({ operationId, requestBody }: Operation): [string, string] {
  return [operationId, requestBody?.content["application/json"]?.schema.$ref.split("/").at(-1) ?? ""];
}

function parametersName({ operationId }: Operation): string {
  return `${operationId}Parameters`;
}

/** What a request gives beside its body, by place; names of headers are in lower case, as node gives them. */
function parametersOf({ parameters = [] }: Operation): object {
  const places = (["path", "header"] as const).map((place) => {
    const here = parameters.filter((one) => one.in === place);
    const nameOf = ({ name }: { name: string }) => (place === "header" ? name.toLowerCase() : name);
    const properties = Object.fromEntries(here.map((one) => [nameOf(one), one.schema]));
    return [place, { type: "object", required: here.filter(({ required }) => required).map(nameOf), properties }];
  });
  return { type: "object", required: ["path", "header"], properties: Object.fromEntries(places) };
}

interface Checks {
  /** Operations, and the names of their schemas. */
  bodies: [string, string][];
  parameters: [string, string][];
}

async function compile(schemas: object, { bodies, parameters }: Checks): Promise<string> {
  const regExp = Object.assign(textPattern, { code: "textPattern" });
  const ajv = new Ajv2020({
    formats: { int64: true },
    code: { source: true, esm: true, regExp },
    strict: false,
    logger: false,
    // Lengths in UTF-16 units cost nothing to tell. They are never less than in characters, so that a text may only be
    // found too long, and goes the long way then; texts that have to be longer than one unit are all ASCII by pattern.
    unicode: false,
  });
  const local = JSON.parse(JSON.stringify(schemas).replaceAll("#/components/schemas/", "contract#/definitions/"));
  ajv.addSchema({ $id: "contract", definitions: local });
  const schemaOf = (name: string) => `contract#/definitions/${name}`;
  const names = [...bodies, ...parameters.map(([, name]) => [name, name] as const)];
  const checks = standaloneModule.default(ajv, Object.fromEntries(names.map(([to, name]) => [to, schemaOf(name)])));
  const bundled = await build({
    stdin: {
      contents: `${patternImport}\n${checks}`,
      resolveDir: new URL("../../", import.meta.url).pathname,
      loader: "js",
    },
    ...{ bundle: true, write: false, format: "esm", platform: "neutral", mainFields: ["main"], legalComments: "none" },
    // The output names its sources by path; it must not depend on where node_modules is linked from.
    preserveSymlinks: true,
  });
  const text = bundled.outputFiles?.[0]?.text ?? "";
  const end = text.lastIndexOf("export {");
  const table = `/** @type {Readonly<Record<string, (body: unknown) => boolean>>} */
export const bodyValidators = /** @type {any} */ ({ ${bodies.map(([id]) => id).join(", ")} });

/** @type {Readonly<Record<string, (given: { path: object, header: object }) => boolean>>} */
export const parameterValidators = /** @type {any} */ ({ ${parameters.map(([id, name]) => `${id}: ${name}`).join(", ")} });
`;
  return `// ${banner}\n${text.slice(0, end)}\n${table}`;
}
