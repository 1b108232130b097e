import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorCatalogue } from "../../generated/errors.js";

/** A document that is looked into here and there. */
// biome-ignore lint/suspicious/noExplicitAny: the document is JSON
type Draft = any;

const read = (name: string): Draft =>
  JSON.parse(readFileSync(new URL(`../../generated/${name}`, import.meta.url), "utf8"));

const closed = read("contract.json");
const asyncapi = read("asyncapi.json");

for (const name of ["openapi.json", "openapi-3.0.json"]) {
  const document = read(name);
  const operations = Object.values(document.paths as object).flatMap((item) => Object.values(item)) as Draft[];
  const { schemas } = document.components;
  const requests = new Set<string>();
  const answers = new Set<string>();
  for (const { requestBody, parameters, responses } of operations) {
    reach([requestBody, parameters], document, requests);
    reach(responses, document, answers);
  }

  describe(`${name} as it is published`, () => {
    it("leaves every answer open", () => {
      const shut = [...answers].filter((one) => schemas[one].additionalProperties === false);
      expect(shut).toEqual([]);
    });

    it("keeps every request as closed as the relay does", () => {
      const opened = [...requests].filter((one) => {
        const ours = closed.components.schemas[one.replace(/Input$/, "")];
        return ours?.additionalProperties === false && schemas[one].additionalProperties !== false;
      });
      expect(opened).toEqual([]);
      expect(schemas.SendMessageRequest.additionalProperties).toBe(false);
      expect(schemas.SystemEventInput.additionalProperties).toBe(false);
    });

    it("has one schema of success in every media type of an operation", () => {
      const several = operations.filter(({ responses }) => {
        const successes = Object.keys(responses).filter((status) => status.startsWith("2"));
        const json = successes.map((status) => responses[status].content?.["application/json"]?.schema.$ref);
        return new Set(json).size > 1;
      });
      expect(several.map(({ operationId }) => operationId)).toEqual([]);
    });

    it("says what an error is that an operation does not list", () => {
      for (const operation of operations) {
        const response = "x-rate-limits" in operation ? "UnexpectedErrorWithLimits" : "UnexpectedError";
        // Generators that read only 3.0 fail on it, and report an answer that they did not expect without it.
        const expected = name === "openapi.json" ? { $ref: `#/components/responses/${response}` } : undefined;
        expect(operation.responses.default).toEqual(expected);
        expect(Object.keys(operation.responses).filter((status) => /XX$/.test(status))).toEqual([]);
      }
    });

    it("names the responses of errors by their status alone, so that a new error renames no generated type", () => {
      const ofStatus = new Map<string, Set<string>>();
      for (const { responses } of operations) {
        for (const [status, response] of Object.entries(responses) as [string, Draft][]) {
          if (!("$ref" in response)) continue;
          const name = response.$ref
            .split("/")
            .at(-1)
            .replace(/WithLimits$/, "");
          ofStatus.set(status, new Set([...(ofStatus.get(status) ?? []), name]));
        }
      }
      expect([...ofStatus].filter(([, names]) => names.size > 1)).toEqual([]);
    });

    it("says in each operation, and in its response of that status, which errors it has", () => {
      for (const operation of operations) {
        for (const id of (operation["x-errors"] ?? []) as (keyof typeof errorCatalogue)[]) {
          const { error, status } = errorCatalogue[id];
          expect(operation.description, operation.operationId).toContain(`\`${error}\``);
          const response = operation.responses[status].$ref.split("/").at(-1);
          expect(document.components.responses[response].description, response).toContain(`**${error}**`);
        }
      }
    });

    it("holds no property in a schema of the same name, which some languages refuse", () => {
      const plain = (text: string) => text.replaceAll("_", "").toLowerCase();
      const clashes = Object.entries(schemas as object).flatMap(([schema, { properties = {} }]) =>
        Object.keys(properties).filter((property) => plain(property) === plain(schema)),
      );
      expect(clashes).toEqual([]);
    });

    it("has errors whose names and codes may grow, and tells those of today", () => {
      expect([schemas.ErrorName.enum, schemas.ErrorCode.enum]).toEqual([undefined, undefined]);
      expect(schemas.ErrorCode).toMatchObject({ type: "integer", minimum: 4000, maximum: 5999 });
      expect(new RegExp(schemas.ErrorName.pattern).test("RATE_LIMIT_EXCEEDED")).toBe(true);
      expect(schemas.ErrorName.description).toContain("RATE_LIMIT_EXCEEDED");
      expect(schemas.ErrorCode.description).toContain("4028");
    });

    it("names no schema like a security scheme, and none by a name that languages have taken", () => {
      const schemes = Object.keys(document.components.securitySchemes).map((one) => one.toLowerCase());
      const taken = Object.keys(schemas).filter((one) => schemes.includes(one.toLowerCase()));
      expect(taken).toEqual([]);
      expect(Object.keys(schemas)).not.toEqual(expect.arrayContaining(["Error"]));
      expect(Object.keys(schemas)).not.toEqual(expect.arrayContaining(["Base64"]));
    });

    it("has no boolean of one value, no array of one length, and no default beside a composition", () => {
      const found: string[] = [];
      visit(document.components.schemas, (node, where) => {
        if (node.type === "boolean" && "enum" in node) found.push(`${where}: enum`);
        if (node.type === "array" && "minItems" in node && node.minItems === node.maxItems)
          found.push(`${where}: items`);
        if ("default" in node && ("allOf" in node || "$ref" in node)) found.push(`${where}: default`);
      });
      expect(found).toEqual([]);
    });

    it("has links whose bodies are texts", () => {
      visit(document.paths, (node) => {
        for (const link of Object.values(node.links ?? {}) as Draft[]) {
          expect(["string", "undefined"]).toContain(typeof link.requestBody);
        }
      });
    });

    it("calls base64 by its format", () => {
      for (const one of ["Base64Text", "KeyPackage", "ProvisioningCiphertext", "InfoPackageCiphertext"]) {
        expect(schemas[one], one).toMatchObject({ type: "string", format: "byte" });
      }
    });

    it("has one server without a template, somebody to ask, and a licence", () => {
      expect(document.servers).toEqual([{ url: "https://relay.example", description: expect.any(String) }]);
      expect(document.info.contact).toMatchObject({ name: expect.any(String), url: expect.any(String) });
      const { identifier, url } = document.info.license;
      if (name === "openapi.json") expect(identifier).toBe("Apache-2.0");
      else expect([identifier, url]).toEqual([undefined, "https://www.apache.org/licenses/LICENSE-2.0"]);
    });
  });
}

it("fills in the plainest example of a request first", () => {
  const { paths } = read("openapi.json");
  const first = (path: string) => {
    const { examples } = paths[path].post.requestBody.content["application/json"];
    return (Object.values(examples)[0] as Draft).value;
  };
  expect(first("/v1/messages")).not.toHaveProperty("system_event");
  expect(first("/api/v1/keypackage/upload")).not.toHaveProperty("replace");
});

describe("the stream's document", () => {
  it("has a type for all frames of either direction", () => {
    const { ClientFrame: client, ServerFrame: server } = asyncapi.components.schemas;
    expect(client.oneOf).toHaveLength(5);
    expect(server.oneOf).toHaveLength(7);
  });

  it("describes every operation and every frame, and names every object", () => {
    for (const operation of Object.values(asyncapi.operations) as Draft[]) expect(operation.description).toBeTruthy();
    visit(asyncapi.components.schemas, (node, where) => {
      if (node.type !== "object" || node.properties === undefined) return;
      expect(where).toMatch(/^\/[A-Za-z]+$/);
      expect(node.description, where).toBeTruthy();
    });
  });

  it("tells how long a frame may be", () => {
    const { toServer, toClient } = asyncapi.channels.stream["x-max-frame-bytes"];
    const longestMessage = 10 * 1024 * 1024;
    expect(toServer).toBe(65_536);
    expect(toClient).toBe(4 * Math.ceil(longestMessage / 3) + 4096);
  });
});

function reach(node: Draft, document: Draft, found: Set<string>): void {
  visit(node, ({ $ref }) => {
    if (typeof $ref !== "string") return;
    const [, , section, name] = $ref.split("/") as [string, string, string, string];
    if (section === "schemas" && found.has(name)) return;
    if (section === "schemas") found.add(name);
    reach(document.components[section][name], document, found);
  });
}

/** Every object in a document, with where it is. */
function visit(node: Draft, see: (node: Draft, where: string) => void, where = ""): void {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) see(node, where);
  for (const [key, inner] of Object.entries(node)) visit(inner, see, `${where}/${key}`);
}
