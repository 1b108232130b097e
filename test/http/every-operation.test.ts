import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OperationId } from "../../generated/handlers.js";
import { type Route, routes } from "../../generated/routes.js";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { type Answer, call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { newPackage, uploadBody } from "../support/key-packages.js";
import type { TestRelay } from "../support/relay.js";

let relay: TestRelay;
let admin: TestAdmin;
let device: TestDevice;

beforeAll(async () => {
  ({ relay, admin } = await startAdministered());
  device = await newDevice(relay);
});
afterAll(() => relay.stop());

interface Listed {
  $ref?: string;
  name: string;
  in: string;
  schema: { $ref?: string; type?: string };
}
interface Document {
  paths: Record<string, Record<string, { operationId?: string; parameters?: Listed[] }>>;
}

const document: Document = JSON.parse(readFileSync("generated/openapi.json", "utf8"));
const all = Object.entries(routes) as [OperationId, Route][];

function follow<T extends { $ref?: string }>(node: T): T {
  if (node.$ref === undefined) return node;
  const target = node.$ref.slice(2).split("/");
  return follow(target.reduce((at, name) => (at as Record<string, unknown>)[name], document as unknown) as T);
}

const integers = Object.values(document.paths)
  .flatMap((item) => Object.values(item))
  .flatMap(({ operationId, parameters = [] }) =>
    parameters
      .map(follow)
      .filter(({ schema }) => follow(schema).type === "integer")
      .map((parameter) => [operationId as OperationId, parameter.in, parameter.name] as const),
  );

function send(
  operation: OperationId,
  sending: { query?: Record<string, string>; headers?: Record<string, string> },
): Promise<Answer<unknown>> {
  const { path, security } = routes[operation] as Route;
  const params = Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name ?? "", "none"]));
  const token = security.includes("admin") ? admin.token : security.includes("device") ? device.token : undefined;
  return call(relay, operation, { params, ...(token !== undefined && { token }), ...sending });
}

describe("integers of the contract", () => {
  test("are in queries only, which the next test is about", () => {
    expect(integers.length).toBeGreaterThan(15);
    expect(new Set(integers.map(([, place]) => place))).toEqual(new Set(["query"]));
  });

  test.each(integers)("%s: %s %s is decimal digits and nothing else", async (operation, _place, name) => {
    const wrong = [
      "Infinity",
      "-Infinity",
      "NaN",
      "1e1",
      "1e999",
      "-1e999",
      "0x10",
      "0b1",
      "0o7",
      "+5",
      " 5",
      "5 ",
      "5.0",
    ];
    for (const value of [...wrong, "-", "1_0", "１", "null", "true", "9".repeat(400), `-${"9".repeat(400)}`]) {
      const answer = await send(operation, { query: { [name]: value } });
      expect([value, answer.status, answer.body.error]).toEqual([value, 400, "INVALID_REQUEST"]);
      expect(answer.body["details"], value).toMatchObject([{ path: `query/${name}` }]);
    }
  });
});

test.each(
  all.filter(([, { method }]) => method === "get"),
)("%s refuses names that it has no parameter of, whatever brackets they have", async (operation) => {
  const known = integers.find(([id]) => id === operation)?.[2] ?? "any";
  for (const name of ["__proto__", "constructor", `${known}[__proto__]`, `${known}[a]`, `${known}[]`, "toString"]) {
    const { status, body } = await send(operation, { query: { [name]: "5" } });
    expect([name, status, body.error]).toEqual([name, 400, "INVALID_REQUEST"]);
  }
});

test("HEAD is answered on public pages, and elsewhere is a method that the path does not have", async () => {
  const paths = [...new Set(all.map(([, { path }]) => path))];
  const offered = all.filter(([, { head }]) => head).map(([, { path }]) => path);
  expect(offered.sort()).toEqual([
    "/.well-known/jwks.json",
    "/.well-known/svc",
    "/.well-known/svc-blocklist",
    "/healthz",
    "/readyz",
    "/v1/blobs/:blob_id",
  ]);
  for (const path of paths) {
    const answer = await fetch(relay.url + path.replace(/:\w+/g, "none"), { method: "HEAD" });
    // The list is not published here, and "none" is no id.
    const refused: Record<string, number> = { "/.well-known/svc-blocklist": 404, "/v1/blobs/:blob_id": 400 };
    const expected = refused[path] ?? (offered.includes(path) ? 200 : 405);
    expect([path, answer.status]).toEqual([path, expected]);
    if (expected === 405) expect(answer.headers.get("allow")).not.toContain("HEAD");
  }
  const [style] = /[^"]+\.css/.exec(await (await fetch(`${relay.url}/docs`)).text()) ?? [];
  for (const path of ["/docs", "/openapi.json", new URL(String(style), `${relay.url}/docs/`).pathname]) {
    expect((await fetch(relay.url + path, { method: "HEAD" })).status, path).toBe(200);
  }
  expect((await fetch(`${relay.url}/healthz`, { method: "POST" })).headers.get("allow")).toBe("GET, HEAD");
});

test("a condition does not spend a key package without handing it out", async () => {
  const other = await newDevice(relay);
  const packages = [newPackage(), newPackage()];
  demand(await call(relay, "uploadKeyPackages", { token: other.token, body: uploadBody(relay, other, { packages }) }));
  for (const [name, value] of [
    ["if-none-match", "*"],
    ["if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT"],
  ] as const) {
    const answer = await call(relay, "fetchKeyPackage", {
      token: device.token,
      query: { device_id: other.deviceId },
      headers: { [name]: value },
    });
    expect([name, answer.status, packages.includes(answer.body.key_package)]).toEqual([name, 200, true]);
  }
});

test("no condition makes a GET answer without a body, unless the contract says so", async () => {
  for (const [operation, { path, streamed, conditional: mayBe304 }] of all.filter(
    ([, { method }]) => method === "get",
  )) {
    if (path.includes(":") || streamed) continue;
    const { status } = await send(operation, {});
    const conditional = await send(operation, { headers: { "if-none-match": "*" } });
    expect([operation, conditional.status]).toEqual([operation, mayBe304 && status === 200 ? 304 : status]);
  }
});
