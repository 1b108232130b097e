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
 * Compiles stand-alone validators for each operation of devices and peers that takes a JSON body and otherwise only headers
 * and a last path segment: one validator for the body, one for these parameters. A request that passes them takes the fast
 * path (src/http/fast-path.ts). express-openapi-validator decides about every other request.
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

/** The parameters of a request by location. Names of headers are in lower case, as Node.js gives them. */
function parametersOf({ parameters = [] }: Operation): object {
  const locations = (["path", "header"] as const).map((location) => {
    const here = parameters.filter((one) => one.in === location);
    const nameOf = ({ name }: { name: string }) => (location === "header" ? name.toLowerCase() : name);
    const properties = Object.fromEntries(here.map((one) => [nameOf(one), one.schema]));
    return [location, { type: "object", required: here.filter(({ required }) => required).map(nameOf), properties }];
  });
  return { type: "object", required: ["path", "header"], properties: Object.fromEntries(locations) };
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
    // Counting UTF-16 units costs nothing, and there are never fewer of them than characters. So a string can only be found
    // too long by mistake, and then takes the slow path. Strings with a minimum above one are ASCII by their pattern.
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
export const bodyValidators = /** @type {any} */ ({ ${bodies.map(([id]) => id).join(", ")} });

/** @type {Readonly<Record<string, (given: { path: object, header: object }) => boolean>>} */
export const parameterValidators = /** @type {any} */ ({ ${parameters.map(([id, name]) => `${id}: ${name}`).join(", ")} });
`;
  return `// ${banner}\n${text.slice(0, end)}\n${table}`;
}
