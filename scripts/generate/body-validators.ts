import { writeFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneModule from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import { slimDocuments } from "../../src/http/slim-document.js";
import type { Contract } from "./contract.js";

interface Operation {
  operationId: string;
  parameters?: unknown[];
  security?: Record<string, unknown>[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
}

const banner = "Made by `npm run generate` from spec/. Do not edit.";

/**
 * Compiles a stand-alone check of the body for each operation of devices that takes nothing but a JSON body. The front
 * door lets what passes it take the short way (src/http/short-way.ts); what does not is judged by the validator itself.
 */
export async function writeBodyValidators(contract: Contract, root: URL): Promise<void> {
  const parts = slimDocuments(contract, { withResponses: false });
  const schemas = Object.assign({}, ...parts.map(({ components }) => components["schemas"])) as object;
  const paths = parts.flatMap((part) => Object.values(part.paths));
  const operations = paths.flatMap((path) => Object.values(path) as Operation[]);
  const bodies = operations.filter(takesBodyAlone).map(({ operationId, requestBody }) => {
    const name = requestBody?.content["application/json"]?.schema.$ref.split("/").at(-1);
    return [operationId, `contract#/definitions/${name}`] as const;
  });
  const code = await compile(schemas, Object.fromEntries(bodies));
  await writeFile(new URL("generated/body-validators.js", root), code);
}

function takesBodyAlone({ parameters = [], security = [], requestBody }: Operation): boolean {
  return parameters.length === 0 && requestBody !== undefined && security.some((one) => "deviceToken" in one);
}

async function compile(schemas: object, names: Readonly<Record<string, string>>): Promise<string> {
  const ajv = new Ajv2020({ formats: { int64: true }, code: { source: true, esm: true }, strict: false });
  const local = JSON.parse(JSON.stringify(schemas).replaceAll("#/components/schemas/", "contract#/definitions/"));
  ajv.addSchema({ $id: "contract", definitions: local });
  const bundled = await build({
    stdin: {
      contents: standaloneModule.default(ajv, names),
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
export const bodyValidators = /** @type {any} */ ({ ${Object.keys(names).join(", ")} });
`;
  return `// ${banner}\n${text.slice(0, end)}\n${table}`;
}
