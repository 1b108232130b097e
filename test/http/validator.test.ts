import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { bodyValidators, parameterValidators } from "../../generated/request-validators.js";
import { routes, securitySchemes } from "../../generated/routes.js";
import type { Contract } from "../../src/http/request/contract.js";
import { openapiValidatorOf } from "../../src/http/validation/openapi-validator.js";
import { contract, deviceToken, serveFixture, withJson } from "./fixture-server.js";

// biome-ignore lint/suspicious/noExplicitAny: the document is changed at will
type Document = any;

function changed(change: (document: Document) => void): Contract {
  const openapi = structuredClone(contract.openapi);
  change(openapi);
  return { ...contract, openapi };
}

// A relay compiles a schema when a request is refused for the first time, so a wrong one would not keep it from starting.
test.each([
  true,
  false,
])("every schema of the relay's contract can be compiled (answers: %s)", async (validateResponses) => {
  const openapi = JSON.parse(readFileSync("generated/contract.json", "utf8"));
  const whole = { openapi, routes, securitySchemes, bodyValidators, parameterValidators };
  await openapiValidatorOf(whole, { validateResponses }).compileAll();
});

test("a schema that cannot be compiled is an error that names the operation", async () => {
  const request = changed(({ components }) => {
    components.schemas.Thing.properties.pair = { type: "array", prefixItems: [{ type: "string" }, { type: "string" }] };
  });
  await expect(serveFixture({ contract: request })).rejects.toThrow(/prefixItems.*pair/);
  const response = changed(({ components }) => {
    components.schemas.Echo.properties.pair = { type: "array", prefixItems: [{ type: "string" }, { type: "string" }] };
  });
  await expect(serveFixture({ contract: response })).rejects.toThrow(/prefixItems.*pair/);
  const reference = changed(({ components }) => {
    components.schemas.Thing.properties.lost = { $ref: "#/components/schemas/Nowhere" };
  });
  await expect(serveFixture({ contract: reference })).rejects.toThrow();
});

test("a route that differs from the contract is an error", async () => {
  const { getThing } = contract.routes;
  if (getThing === undefined) throw new Error("the fixture has changed");
  const renamed = { ...contract, routes: { ...contract.routes, getThing: { ...getThing, path: "/things/:id" } } };
  await expect(serveFixture({ contract: renamed })).rejects.toThrow(/getThing.*thing_id/);
  const missing = { ...contract, routes: { getNothing: { ...getThing, path: "/nothing" } } };
  await expect(serveFixture({ contract: missing })).rejects.toThrow(/getNothing/);
});

test("an operation without a handler is an error at start", async () => {
  const { createHttpServer } = await import("../../src/http/server.js");
  expect(() => createHttpServer({ contract, handlers: {}, authenticators: {} } as never)).toThrow(/has no handler/);
});

test("no request makes the validator compile a schema again, whatever Content-Type it forges", async () => {
  const served = await serveFixture({ validateResponses: false });
  const compilations = watchCompilations();
  const thing = (type: string) =>
    served.send("/things", withJson("POST", { name: "a" }, { ...deviceToken, "content-type": type }));
  for (let n = 0; n < 30; n++) {
    await thing(`application/json; a=${n}`);
    await thing("APPLICATION/json;charset=UTF-8");
    await served.send("/open", { headers: { "content-type": `text/a${n}; a=${n}` } });
    await served.send("/things", withJson("POST", "{}", { "content-type": `application/json; a=${n}` }));
  }
  expect(served.calls.length).toBe(60);
  expect(compilations()).toBe(0);
});

/** Ajv makes its validators by `new Function`. */
function watchCompilations(): () => number {
  const original = globalThis.Function;
  let count = 0;
  globalThis.Function = new Proxy(original, {
    construct(target, args) {
      count++;
      return Reflect.construct(target, args);
    },
  });
  onTestFinished(() => {
    globalThis.Function = original;
  });
  new Function("return 1");
  const seen = count;
  count = 0;
  expect(seen, "the watch sees compilations").toBe(1);
  return () => count;
}

test("answers are checked by schemas compiled once per operation, whatever Content-Type a request forges", async () => {
  const served = await serveFixture();
  const ask = (n: number) => served.send("/open", { headers: { "content-type": `text/a${n}; a=${n}` } });
  await ask(0);
  const compilations = watchCompilations();
  for (let n = 1; n < 30; n++) expect((await ask(n)).status).toBe(200);
  expect(compilations()).toBe(0);
});
