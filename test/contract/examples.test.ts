import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";

interface Media {
  schema: object;
  examples?: Record<string, { value: unknown }>;
}
interface Body {
  $ref?: string;
  content?: Record<string, Media>;
}
interface Operation {
  operationId: string;
  requestBody?: Body;
  responses: Record<string, Body>;
}

const text = readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8");
const bundle = JSON.parse(text) as {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Body> };
};
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...bundle, $id: "contract" });

describe("the examples of the published contract", () => {
  for (const operation of Object.values(bundle.paths).flatMap((item) => Object.values(item))) {
    it(`validate against the schemas of ${operation.operationId}`, () => {
      for (const [where, media] of mediaTypesOf(operation)) {
        const validate = ajv.compile(pointIntoContract(media.schema));
        const examples = Object.entries(media.examples ?? {});
        expect(examples, `${where} has examples`).not.toEqual([]);
        for (const [name, { value }] of examples) {
          validate(value);
          expect(validate.errors ?? [], `${where} ${name}`).toEqual([]);
        }
      }
    });
  }
});

function mediaTypesOf({ requestBody, responses }: Operation): [string, Media][] {
  const bodies = Object.entries({ ...responses, ...(requestBody && { request: requestBody }) });
  return bodies.flatMap(([where, body]) =>
    Object.entries(resolve(body).content ?? {})
      // Bytes have no example that could be read.
      .filter(([type]) => type !== "application/octet-stream")
      .map(([, media]): [string, Media] => [where, media]),
  );
}

function resolve(body: Body): Body {
  const name = body.$ref?.replace("#/components/responses/", "");
  if (name === undefined) return body;
  const response = bundle.components.responses[name];
  if (response === undefined) throw new Error(`no response ${name}`);
  return response;
}

function pointIntoContract(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')) as object;
}
