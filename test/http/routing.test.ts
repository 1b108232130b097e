import { expect, test } from "vitest";
import type { RouteEntry } from "../../src/http/request/contract.js";
import { contract, deviceToken, serveFixture, withJson } from "./fixture-server.js";
import { connectRaw } from "./raw.js";

test("an unknown route is answered 404 NOT_FOUND", async () => {
  const served = await serveFixture();
  for (const path of ["/", "/nothing", "/things/a/b"]) {
    expect(await served.send(path)).toMatchObject({ status: 404, body: { error: "NOT_FOUND", code: 4016 } });
  }
});

test("another case or a slash more is another path, and not found", async () => {
  const served = await serveFixture();
  for (const path of ["/open/", "/Open", "/OPEN", "//open", "/things/a/", "/THINGS/a"]) {
    expect(await served.send(path), path).toMatchObject({ status: 404, body: { error: "NOT_FOUND" } });
  }
  expect(await served.send("/open")).toMatchObject({ status: 200 });
});

test("a method that the path does not have is answered 405 with Allow", async () => {
  const served = await serveFixture();
  for (const method of ["PUT", "PATCH", "OPTIONS", "DELETE", "PROPFIND"]) {
    const answer = await served.send("/things", { method });
    expect(answer, method).toMatchObject({ status: 405, body: { error: "METHOD_NOT_ALLOWED", code: 4026 } });
    expect(answer.headers.get("allow")).toBe("POST, GET");
  }
});

test("HEAD is not offered where GET is, because some GETs consume what they give out", async () => {
  const served = await serveFixture();
  const answer = await served.send("/open", { method: "HEAD" });
  expect(answer.status).toBe(405);
  expect(answer.headers.get("allow")).toBe("GET");
  expect(served.calls).toEqual([]);
});

test("where the contract offers HEAD it is answered like GET, without the body", async () => {
  const getOpen = { ...contract.routes["getOpen"], head: true } as RouteEntry;
  const served = await serveFixture({ contract: { ...contract, routes: { ...contract.routes, getOpen } } });
  const [full, head] = [await served.send("/open"), await served.send("/open", { method: "HEAD" })];
  expect(head).toMatchObject({ status: 200, body: "" });
  for (const name of ["content-type", "content-length", "cache-control"]) {
    expect(head.headers.get(name), name).toBe(full.headers.get(name));
  }
  expect((await served.send("/open", { method: "PUT" })).headers.get("allow")).toBe("GET, HEAD");
  const wrong = await served.send("/open?limit=0", { method: "HEAD" });
  expect(wrong).toMatchObject({ status: 400, body: "" });
});

test("conditions are ignored: nothing is answered without what was asked for", async () => {
  const served = await serveFixture();
  for (const headers of [
    { "if-none-match": "*" },
    { "if-none-match": '"a"' },
    { "if-modified-since": new Date(Date.now() + 86_400_000).toUTCString() },
    { "if-match": '"a"' },
  ]) {
    expect(await served.send("/open", { headers })).toMatchObject({ status: 200, body: { said: "getOpen" } });
  }
});

test("a literal segment goes before a parameter, also when the method is the parameter's", async () => {
  const served = await serveFixture();
  expect(await served.send("/things/special", withJson("PUT", { name: "a" }))).toMatchObject({
    status: 200,
    body: { said: "putSpecial" },
  });
  const answer = await served.send("/things/special");
  expect(answer).toMatchObject({ status: 405, body: { error: "METHOD_NOT_ALLOWED" } });
  expect(answer.headers.get("allow")).toBe("PUT");
});

test("path parameters are decoded; a malformed escape, U+0000 or bad UTF-8 in the URL is INVALID_REQUEST", async () => {
  const served = await serveFixture();
  expect(await served.send("/things/caf%C3%A9")).toMatchObject({ status: 200 });
  expect(served.calls[0]?.params["thing_id"]).toBe("café");
  const paths = [
    "/things/%E0%A4%A",
    "/things/%zz",
    "/things/%00",
    "/things/%ff",
    "/open?limit=%zz",
    "/open?limit=1%00",
  ];
  for (const path of paths) {
    expect(await served.send(path), path).toMatchObject({
      status: 400,
      body: { error: "INVALID_REQUEST", code: 4000 },
    });
  }
});

test("a request that is not HTTP is answered in the catalogue's form, and closed", async () => {
  const served = await serveFixture();
  for (const bytes of [
    "NONSENSE\r\n\r\n",
    "POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
  ]) {
    const raw = connectRaw(served.port);
    raw.write(bytes);
    const answer = await raw.answer();
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ error: "INVALID_REQUEST", code: 4000 });
    await raw.closed;
  }
});

test("every answer carries a request id of its own and the headers that keep it private", async () => {
  const served = await serveFixture();
  const answers = [
    await served.send("/open", { headers: { "x-request-id": "mine" } }),
    await served.send("/nothing"),
    await served.send("/things", withJson("POST", { name: "a" }, deviceToken)),
  ];
  const ids = answers.map(({ headers }) => headers.get("x-request-id"));
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  for (const { headers } of answers) {
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("x-powered-by")).toBeNull();
    expect(headers.get("etag")).toBeNull();
  }
});
