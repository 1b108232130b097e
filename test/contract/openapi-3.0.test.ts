import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";

const text = readFileSync(new URL("../../generated/openapi-3.0.json", import.meta.url), "utf8");
const original = JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8")) as {
  paths: object;
};

describe("the contract for generators that read OpenAPI 3.0 only", () => {
  it("has the structure that OpenAPI 3.0 asks for", async () => {
    const config = await createConfig({ rules: { struct: "error", "no-unresolved-refs": "error" } });
    const problems = await lintFromString({ source: text, config });
    expect(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
  });

  it("calls itself 3.0.3 and has all paths", () => {
    const converted = JSON.parse(text) as { openapi: string; paths: object };
    expect(converted.openapi).toBe("3.0.3");
    expect(Object.keys(converted.paths)).toEqual(Object.keys(original.paths));
  });

  it("has nothing left that only 3.1 knows", () => {
    const found: string[] = [];
    JSON.parse(text, (key, value: unknown) => {
      if (key === "type" && Array.isArray(value)) found.push(`type: ${value.join()}`);
      if (key === "type" && value === "null") found.push("type: null");
      if (key === "const" && typeof value === "string") found.push("const");
      if ((key === "exclusiveMinimum" || key === "exclusiveMaximum") && typeof value === "number") found.push(key);
      return value;
    });
    expect(found).toEqual([]);
  });
});
