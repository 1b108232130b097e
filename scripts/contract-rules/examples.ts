import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Contract, MediaType, ResponseObject } from "../generate/contract.js";
import { operationsOf } from "../generate/contract.js";
import type { Finding } from "./finding.js";

/** Keywords that validate nothing, including the contract's own extensions. */
const ANNOTATIONS = ["example", "discriminator", "x-error", "x-hint", "x-open-because"];

/**
 * Validates every example of bodies and schemas against its schema. Ajv is strict here, so it also finds misspelled
 * keywords.
 */
export function checkExamples(contract: Contract): Finding[] {
  const compile = compilerFor(contract);
  const findings: Finding[] = [];
  const check = (where: string, validate: ValidateFunction, value: unknown): void => {
    if (!validate(value)) findings.push({ where, what: faultText(validate.errors ?? []) });
  };
  for (const { where, media } of bodiesOf(contract)) {
    const validate = compile(media.schema);
    for (const [name, { value }] of Object.entries(media.examples ?? {})) check(`${where} ${name}`, validate, value);
  }
  for (const [name, schema] of Object.entries(contract.components.schemas)) {
    const validate = compile({ $ref: `#/components/schemas/${name}` });
    for (const value of schema.examples ?? []) check(`${name}.examples`, validate, value);
  }
  return findings;
}

/** Compiles schemas that refer to others of the contract, which are all added to Ajv as one schema. */
function compilerFor(contract: Contract): (schema: object) => ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true });
  addFormats.default(ajv);
  for (const name of ANNOTATIONS) ajv.addKeyword(name);
  const rewrite = (part: object): object =>
    JSON.parse(JSON.stringify(part).replaceAll("#/components/schemas/", "contract#/$defs/"));
  ajv.addSchema({ $id: "contract", $defs: rewrite(contract.components.schemas) });
  return (schema) => ajv.compile(rewrite(schema));
}

function bodiesOf(contract: Contract): { where: string; media: MediaType }[] {
  const ofResponse = (where: string, response: ResponseObject) => mediaTypes(where, response.content);
  const shared = Object.entries(contract.components.responses ?? {}).flatMap(([name, response]) =>
    ofResponse(name, response),
  );
  const own = operationsOf(contract).flatMap(({ operation }) => [
    ...mediaTypes(`${operation.operationId} request`, operation.requestBody?.content),
    ...Object.entries(operation.responses).flatMap(([status, response]) =>
      "$ref" in response ? [] : ofResponse(`${operation.operationId} ${status}`, response),
    ),
  ]);
  return [...shared, ...own];
}

function mediaTypes(
  where: string,
  content: Record<string, MediaType> | undefined,
): { where: string; media: MediaType }[] {
  return Object.values(content ?? {}).map((media) => ({ where, media }));
}

function faultText(errors: ErrorObject[]): string {
  return errors.map(({ instancePath, message }) => `${instancePath || "/"} ${message}`).join("; ");
}
