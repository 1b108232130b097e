import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { bodyValidators, parameterValidators } from "../../generated/request-validators.js";
import { routes, securitySchemes } from "../../generated/routes.js";
import type { Contract } from "../../src/http/request/contract.js";
import { RelayError } from "../../src/protocol/errors.js";
import { contract, deviceToken, serveFixture, withJson } from "./fixture-server.js";
import { connectRaw } from "./raw.js";

// biome-ignore lint/suspicious/noExplicitAny: the document is changed at will
type Document = any;

function changed(change: (document: Document) => void): Contract {
  const openapi = structuredClone(contract.openapi);
  change(openapi);
  return { ...contract, openapi };
}

const json = { "content-type": "application/json" };

/** A query that the compiled validators do not read, so that the whole request goes to express-openapi-validator. */
const unusual = "?&";

// A relay compiles a schema when a request is refused for the first time, so a wrong one would not keep it from starting.
test.each([
  true,
  false,
])("every schema of the relay's contract can be compiled (answers: %s)", async (validateResponses) => {
  const openapi = JSON.parse(readFileSync("generated/contract.json", "utf8"));
  const whole = { openapi, routes, securitySchemes, bodyValidators, parameterValidators };
  const refuse = () => {
    throw new RelayError("RATE_LIMIT_EXCEEDED", "Later.", { extras: { limit: 1, remaining: 0, reset_at: 1 } });
  };
  const answers = Object.fromEntries(Object.keys(routes).map((id) => [id, refuse]));
  const served = await serveFixture({ contract: whole, answers, validateResponses });
  for (const { method, path, security, bodyLimit } of Object.values(routes)) {
    const headers = { authorization: `Bearer ${security[0] ?? "device"}-chief` };
    const bodies = bodyLimit === null ? [{}] : [{ body: "{}", headers: json }, {}];
    for (const body of bodies) {
      const target = path.replaceAll(/:\w+/g, "sample") + unusual;
      await served.send(target, { method, ...body, headers: { ...headers, ...body.headers } });
    }
  }
  const faults = served.log.filter(({ msg }) => msg === "a request failed").map((line) => JSON.stringify(line));
  // An answer that its operation does not have was checked, so its schemas were compiled.
  expect(faults.filter((fault) => !fault.includes('"type":"Internal Server Error"'))).toEqual([]);
});

test("a schema that cannot be compiled is an error whose log line names the operation", async () => {
  const request = changed(({ components }) => {
    components.schemas.Thing.properties.pair = { type: "array", prefixItems: [{ type: "string" }, { type: "string" }] };
  });
  const response = changed(({ components }) => {
    components.schemas.Echo.properties.pair = { type: "array", prefixItems: [{ type: "string" }, { type: "string" }] };
  });
  const reference = changed(({ components }) => {
    components.schemas.Thing.properties.lost = { $ref: "#/components/schemas/Nowhere" };
  });
  for (const [wrong, says] of [
    [request, /prefixItems.*pair/],
    [response, /prefixItems.*pair/],
    [reference, /Nowhere/],
  ] as const) {
    const served = await serveFixture({ contract: wrong });
    const answer = await served.send("/things", withJson("POST", {}, deviceToken));
    expect(answer).toMatchObject({ status: 500, body: { error: "INTERNAL" } });
    const fault = served.log.find(({ msg }) => msg === "a request failed");
    expect(fault?.["operation"]).toBe("createThing");
    expect(JSON.stringify(fault)).toMatch(says);
  }
});

test("a route that differs from the contract is an error at start", async () => {
  const { getThing } = contract.routes;
  if (getThing === undefined) throw new Error("the fixture has changed");
  const renamed = { ...contract, routes: { ...contract.routes, getThing: { ...getThing, path: "/things/:id" } } };
  await expect(serveFixture({ contract: renamed })).rejects.toThrow(/getThing.*\{id\}/);
  const missing = { ...contract, routes: { getNothing: { ...getThing, path: "/nothing" } } };
  await expect(serveFixture({ contract: missing })).rejects.toThrow(/getNothing/);
});

test("a request that is refused is explained for HEAD, a whole URL and a followed link as for a plain GET", async () => {
  const { getThing } = contract.routes;
  if (getThing === undefined) throw new Error("the fixture has changed");
  const shared = {
    ...contract,
    routes: { ...contract.routes, getThing: { ...getThing, head: true, sharedLink: true } },
  };
  const served = await serveFixture({ contract: shared });
  const plain = await served.send("/things/NO");
  expect(plain).toMatchObject({ status: 400, body: { details: [{ path: "path/thing_id" }] } });
  expect((await served.send("/things/NO?utm_source=a")).body).toEqual(plain.body);
  const head = await served.send("/things/NO", { method: "HEAD" });
  expect([head.status, head.headers.get("content-length")]).toEqual([400, plain.headers.get("content-length")]);
  const connection = connectRaw(served.port);
  connection.write("GET http://relay.example/things/NO HTTP/1.1\r\nHost: relay.example\r\n\r\n");
  const { text } = await connection.answer();
  expect(JSON.parse(Buffer.from(text, "latin1").toString())).toEqual(plain.body);
  connection.socket.destroy();
  expect(served.calls).toEqual([]);
  expect((await served.send("/things/yes?&", { method: "HEAD" })).status).toBe(200);
  expect(served.calls.length).toBe(1);
});

test("an operation without a handler is an error at start", async () => {
  const { createHttpServer } = await import("../../src/http/server.js");
  expect(() => createHttpServer({ contract, handlers: {}, authenticators: {} } as never)).toThrow(/has no handler/);
});

test("no request makes the validator compile a schema again, whatever Content-Type it forges", async () => {
  const served = await serveFixture({ validateResponses: false });
  const thing = (type: string, query: string) =>
    served.send(`/things${query}`, withJson("POST", { name: "a" }, { ...deviceToken, "content-type": type }));
  const sendAll = async (n: number) => {
    await thing(`application/json; a=${n}`, "");
    await thing(`application/json; a=${n}`, unusual);
    await thing("APPLICATION/json;charset=UTF-8", unusual);
    await served.send(`/open${unusual}`, { headers: { "content-type": `text/a${n}; a=${n}` } });
    await served.send("/things", withJson("POST", "{}", { "content-type": `application/json; a=${n}` }));
  };
  await sendAll(0);
  const compilations = watchCompilations();
  for (let n = 1; n < 30; n++) await sendAll(n);
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
