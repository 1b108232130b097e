import { expect, test } from "vitest";
import { deviceToken, serveFixture, withJson } from "./fixture-server.js";

test("query parameters arrive with their types and defaults", async () => {
  const served = await serveFixture();
  await served.send("/open?limit=7");
  await served.send("/open");
  expect(served.calls.map(({ query }) => query["limit"])).toEqual([7, 100]);
});

test("a parameter against the contract is INVALID_REQUEST and names the parameter", async () => {
  const served = await serveFixture();
  const cases = [
    ["/open?limit=0", "query/limit"],
    ["/open?limit=1001", "query/limit"],
    ["/open?limit=abc", "query/limit"],
    ["/open?limit=1.5", "query/limit"],
    ["/open?limit=1&limit=2", "query/limit"],
    ["/open?limit=", "query/limit"],
    ["/open?limit[a]=1", "query/limit"],
    ["/open?limit[__proto__]=1", "query/limit"],
    ["/open?limit[]=1", "query/limit"],
    ["/open?__proto__=1", "query/__proto__"],
    ["/open?constructor=1", "query/constructor"],
    ["/open?unknown=1", "query/unknown"],
    ["/open?__proto__[a]=1", "query/__proto__"],
    ["/things/NO", "path/thing_id"],
  ];
  for (const [path = "", at] of cases) {
    const answer = await served.send(path);
    expect(answer, path).toMatchObject({ status: 400, body: { error: "INVALID_REQUEST", code: 4000 } });
    expect(answer.body.details[0].path, path).toBe(at);
  }
  expect(served.calls).toEqual([]);
});

test("an integer is decimal digits, in headers as well, with a minus only where it may be negative", async () => {
  const served = await serveFixture();
  const trace = (value: string) => served.send("/open", { headers: { "x-trace": value } });
  for (const value of ["0x10", "1e1", "+5", "Infinity", "5.0", "-5", "1".repeat(400)]) {
    const answer = await trace(value);
    expect(answer, value).toMatchObject({ status: 400, body: { error: "INVALID_REQUEST" } });
    expect(answer.body.details[0].path, value).toBe("header/x-trace");
  }
  expect((await trace("5")).status).toBe(200);
  expect((await trace("0")).body.error).toBe("INVALID_CONFIG");
  expect((await served.send("/open?span=-5")).status).toBe(200);
  expect((await served.send("/open?span=-0x5")).status).toBe(400);
});

test("a body against the contract is INVALID_REQUEST and names the member", async () => {
  const served = await serveFixture();
  const cases: [unknown, string][] = [
    [{}, "body/name"],
    [{ name: 5 }, "body/name"],
    [{ name: "" }, "body/name"],
    [{ name: "a", count: "5" }, "body/count"],
    [{ name: "a", count: 1.5 }, "body/count"],
    [{ name: "a", count: 101 }, "body/count"],
    ['{"name":"a","count":1e999}', "body/count"],
    [{ name: "a", typo: 1 }, "body/typo"],
    ['{"name":"a","__proto__":{}}', "body/__proto__"],
    [[], "body"],
    ["null", "body"],
    ['"text"', "body"],
  ];
  for (const [body, at] of cases) {
    const answer = await served.send("/things", withJson("POST", body, deviceToken));
    expect(answer, JSON.stringify(body)).toMatchObject({ status: 400, body: { error: "INVALID_REQUEST", code: 4000 } });
    expect(answer.body.details[0].path, JSON.stringify(body)).toBe(at);
  }
  expect(served.calls).toEqual([]);
});

test("null for an optional member is the same as leaving it out, unless null means something or the object is open", async () => {
  const served = await serveFixture();
  const bodies: [RequestInit, string, object][] = [
    [withJson("POST", { name: "a", count: null, domains: null }, deviceToken), "/things", { name: "a" }],
    [
      withJson("POST", { name: "a", count: null, nested: { b: null } }, deviceToken),
      "/things",
      { name: "a", nested: { b: null } },
    ],
    [withJson("PATCH", { server: { max_retention_days: null, note: null } }), "/settings", { server: { note: null } }],
  ];
  for (const [init, path] of bodies) expect((await served.send(path, init)).status).toBeLessThan(300);
  expect(served.calls.map(({ body }) => body)).toEqual(bodies.map(([, , body]) => body));
  expect((await served.send("/things", withJson("POST", { name: null }, deviceToken))).status).toBe(400);
});

test("a body that is required and not there is INVALID_REQUEST; an optional one may be left out", async () => {
  const served = await serveFixture();
  const answer = await served.send("/things", { method: "POST", headers: deviceToken });
  expect(answer).toMatchObject({ status: 400, body: { error: "INVALID_REQUEST" } });
  expect(await served.send("/things/special", { method: "PUT" })).toMatchObject({ status: 200 });
  expect(served.calls[0]?.body).toBeUndefined();
});

test("a broken bound of a property with x-error is answered with the error it names", async () => {
  const served = await serveFixture();
  const cases: [RequestInit, string, string, number][] = [
    [withJson("POST", { name: "a", domain: "NO" }, deviceToken), "/things", "INVALID_ADDRESS", 4005],
    [withJson("POST", { name: "a", domains: ["a.b", "NO"] }, deviceToken), "/things", "INVALID_ADDRESS", 4005],
    [withJson("PATCH", { server: { max_retention_days: 0 } }), "/settings", "INVALID_CONFIG", 4013],
    [withJson("PATCH", { server: { max_retention_days: 366 } }), "/settings", "INVALID_CONFIG", 4013],
    [withJson("PATCH", { server: { max_retention_days: "7" } }), "/settings", "INVALID_CONFIG", 4013],
    [withJson("PATCH", { server: [] }), "/settings", "INVALID_CONFIG", 4013],
    [withJson("PATCH", { server: { no_such_key: 1 } }), "/settings", "INVALID_CONFIG", 4013],
    [withJson("PATCH", { no_such_group: {} }), "/settings", "INVALID_CONFIG", 4013],
    [{ headers: { "x-trace": "0" } }, "/open", "INVALID_CONFIG", 4013],
    [{}, "/open?span=11", "INVALID_CONFIG", 4013],
  ];
  for (const [init, path, error, code] of cases) {
    const answer = await served.send(path, init);
    expect(answer, JSON.stringify(init)).toMatchObject({ status: 400, body: { error, code } });
    expect("details" in answer.body).toBe(error === "INVALID_CONFIG");
  }
});

test("all faults are named where the first has an error of its own", async () => {
  const served = await serveFixture();
  const pathsOf = async (body: object) => {
    const answer = await served.send("/settings", withJson("PATCH", body));
    const paths = answer.body.details.map(({ path }: { path: string }) => path);
    for (const path of paths) expect(answer.body.message).toContain(path);
    return [answer.body.error, ...paths.sort()];
  };
  expect(await pathsOf({ server: { max_retention_days: 0, a: 1, b: 2 }, c: 3 })).toEqual([
    "INVALID_CONFIG",
    ...["body/c", "body/server/a", "body/server/b", "body/server/max_retention_days"],
  ]);
  // The catalogue's entry is for wrong types too.
  expect(await pathsOf({ server: { a: 1, max_retention_days: "7" } })).toEqual([
    "INVALID_CONFIG",
    ...["body/server/a", "body/server/max_retention_days"],
  ]);
  const many = Object.fromEntries(Array.from({ length: 110 }, (_, i) => [`k${i}`, 0]));
  const answer = await served.send("/settings", withJson("PATCH", many));
  expect([answer.status, answer.body.error, answer.body.details.length]).toEqual([400, "INVALID_CONFIG", 100]);
  expect(answer.body.message.length).toBeLessThanOrEqual(1000);
});

test("a wrong type, a missing member and a bound without x-error stay INVALID_REQUEST", async () => {
  const served = await serveFixture();
  const cases: [RequestInit, string][] = [
    [withJson("POST", { name: "a", domain: 5 }, deviceToken), "/things"],
    [withJson("POST", { name: "a", domains: ["a", "b", "c"] }, deviceToken), "/things"],
    [withJson("PATCH", { server: { note: "too long" } }), "/settings"],
    [withJson("POST", { type: "ack" }), "/frames"],
    [withJson("POST", { type: "ack", ttl: 0 }), "/frames"],
    [withJson("POST", { type: "ping", ttl: 1 }), "/frames"],
    [withJson("POST", { type: "other" }), "/frames"],
    [withJson("POST", {}), "/frames"],
    [{ headers: { "x-trace": "abc" } }, "/open"],
    [{}, "/open?span=abc"],
    [{}, "/open?span=11&limit=0"],
  ];
  for (const [init, path] of cases) {
    const answer = await served.send(path, init);
    expect(answer, `${path} ${JSON.stringify(init)}`).toMatchObject({
      status: 400,
      body: { error: "INVALID_REQUEST" },
    });
    expect(answer.body.details.length).toBeGreaterThan(0);
  }
});

test("each alternative of a discriminated body is accepted", async () => {
  const served = await serveFixture();
  expect(await served.send("/frames", withJson("POST", { type: "ping" }))).toMatchObject({ status: 200 });
  expect(await served.send("/frames", withJson("POST", { type: "ack", ttl: 1 }))).toMatchObject({ status: 200 });
});

test("a null where the contract allows it is accepted", async () => {
  const served = await serveFixture();
  expect(await served.send("/settings", withJson("PATCH", { server: { note: null } }))).toMatchObject({ status: 200 });
});
