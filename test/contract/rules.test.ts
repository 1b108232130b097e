import { describe, expect, it } from "vitest";
import { checkExamples } from "../../scripts/contract-rules/examples.js";
import { checkOperations } from "../../scripts/contract-rules/operations.js";
import { checkSchemas } from "../../scripts/contract-rules/schemas.js";
import { readCatalogue } from "../../scripts/generate/catalogue.js";
import type { Contract, Operation, Schema } from "../../scripts/generate/contract.js";

const catalogue = await readCatalogue(new URL("../../", import.meta.url));

describe("the rules for operations", () => {
  const faults: [string, Partial<Operation>, string][] = [
    ["an id that is not in lowerCamelCase", { operationId: "Get_thing" }, "operationId must be in lowerCamelCase"],
    ["a tag that is not declared", { tags: ["stray"] }, "the tag stray is not declared"],
    ["an operation without a description", { description: "" }, "must have a description"],
    ["an error that is not in the catalogue", { "x-errors": ["NO_SUCH"] }, "x-errors: NO_SUCH is not in the catalogue"],
    ["an error that is added anyway", { "x-errors": ["INTERNAL"] }, "x-errors: INTERNAL is added automatically"],
    [
      "a permission on an open operation",
      { "x-permission": "view_audit" },
      "x-permission requires the security adminToken",
    ],
    [
      "a shared link whose page is not described",
      { "x-shared-link": true },
      "x-shared-link requires a response 406 with text/html",
    ],
    [
      "a body that is marked neither required nor optional",
      { requestBody: { content: {} } },
      "must say whether its body is required",
    ],
    [
      "a domain in a query that may not have a bare colon",
      {
        parameters: [
          { name: "domain", in: "query", description: "A domain.", schema: { $ref: "#/components/schemas/Domain" } },
        ],
      },
      "the parameter domain must have allowReserved, because its value may contain : and @",
    ],
    [
      "a query parameter that takes U+0000, which no URL may contain",
      { parameters: [{ name: "text", in: "query", description: "A text.", schema: { type: "string" } }] },
      "the parameter text must have a pattern that excludes U+0000, which no URL may contain",
    ],
    ["a body limit without a body", { "x-body-limit": "batch" }, "x-body-limit without a body"],
    [
      "an answer without an example",
      answer({ schema: { $ref: "#/components/schemas/Thing" } }),
      "the response 200 has no example in spec/examples",
    ],
    [
      "an answer without a named schema",
      answer({ schema: { type: "string" }, examples: { a: { value: "" } } }),
      "the response 200 must have a named schema",
    ],
  ];

  it("have nothing against an operation in order", () => {
    expect(checkOperations(contractWith({}, {}), catalogue)).toEqual([]);
  });

  for (const [fault, change, what] of faults) {
    it(`find ${fault}`, () => {
      expect(checkOperations(contractWith(change, {}), catalogue).map((finding) => finding.what)).toContain(what);
    });
  }
});

describe("the rules for schemas", () => {
  const closed = { type: "object", additionalProperties: false };
  const faults: [string, Schema, string][] = [
    [
      "an open object",
      { type: "object", properties: {} },
      "must have additionalProperties: false (or the reason in x-open-because)",
    ],
    [
      "a required name without a property",
      { ...closed, properties: {}, required: ["a"] },
      "required names a, which is not a property",
    ],
    [
      "an object inside an object",
      { ...closed, properties: { a: { ...closed, properties: {} } } },
      "an object with properties must be a named schema",
    ],
    ["a union of types", { type: ["string", "integer"] }, "must have one type, or one type and null"],
    ["a string without a bound", { type: "string" }, "a string without a bound (or x-open-because)"],
    ["an array without a bound", { type: "array", items: { type: "boolean" } }, "an array without maxItems"],
    ["an integer without bounds", { type: "integer", format: "int64" }, "an integer must have minimum and maximum"],
    ["a keyword outside the profile", { type: "boolean", not: {} }, "not is outside the profile"],
    [
      "a union without a discriminator",
      { oneOf: [{ $ref: "#/components/schemas/Thing" }] },
      "oneOf must have a discriminator with a mapping",
    ],
    [
      "an error that is not in the catalogue",
      { type: "boolean", "x-error": "NO_SUCH" },
      "x-error: NO_SUCH is not in the catalogue",
    ],
    ["a schema that nothing refers to", { type: "boolean" }, "nothing refers to this schema"],
  ];

  for (const [fault, schema, what] of faults) {
    it(`find ${fault}`, () => {
      const contract = contractWith({}, { Wrong: schema });
      expect(checkSchemas(contract, catalogue).map((finding) => finding.what)).toContain(what);
    });
  }
});

describe("the rule for examples", () => {
  it("finds one that does not fit its schema", () => {
    const media = { schema: { $ref: "#/components/schemas/Thing" }, examples: { wrong: { value: { extra: 1 } } } };
    const [finding] = checkExamples(contractWith(answer(media), {}));
    expect(finding).toEqual({ where: "getThing 200 wrong", what: "/ must NOT have additional properties" });
  });

  it("refuses a keyword that is misspelt", () => {
    const misspelt = contractWith({}, { Wrong: { type: "string", maxLenght: 3 } });
    expect(() => checkExamples(misspelt)).toThrow("maxLenght");
  });
});

function answer(media: object): Partial<Operation> {
  return { responses: { "200": { description: "A thing.", content: { "application/json": media as never } } } };
}

function contractWith(change: Partial<Operation>, schemas: Record<string, Schema>): Contract {
  const operation: Operation = {
    operationId: "getThing",
    tags: ["things"],
    summary: "A thing",
    description: "Gives a thing.",
    security: [],
    responses:
      answer({ schema: { $ref: "#/components/schemas/Thing" }, examples: { one: { value: {} } } }).responses ?? {},
    ...change,
  };
  return {
    openapi: "3.1.0",
    info: { title: "things", version: "1", "x-interface-version": "1.0.0" },
    tags: [{ name: "things" }],
    paths: { "/thing": { get: operation } },
    components: {
      schemas: { Thing: { type: "object", additionalProperties: false, properties: {} }, ...schemas },
      securitySchemes: {},
    },
  };
}
