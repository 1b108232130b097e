import { expect, test } from "vitest";
import { RelayError } from "../../src/protocol/errors.js";
import { type FixtureServer, serveFixture } from "./fixture-server.js";

const failing = (error: unknown) => ({
  answers: {
    getOpen: () => {
      throw error;
    },
  },
});

/** A served whose handler fails as the test says next. */
async function failingInTurn(): Promise<{
  fail(error: unknown): ReturnType<FixtureServer["send"]>;
  log: FixtureServer["log"];
}> {
  let next: unknown;
  const served = await serveFixture({
    answers: {
      getOpen: () => {
        throw next;
      },
    },
  });
  const fail = (error: unknown) => {
    next = error;
    return served.send("/open");
  };
  return { fail, log: served.log };
}

test("a handler's catalogue error is answered with its status, code, extras and headers", async () => {
  const extras = { limit: 10, reset_at: 1_700_000_000, retry_after: 59.2 };
  const served = await serveFixture({
    ...failing(new RelayError("RATE_LIMIT_EXCEEDED", "Used up.", { extras })),
    validateResponses: false,
  });
  const answer = await served.send("/open");
  expect(answer.status).toBe(429);
  expect(answer.body).toEqual({ error: "RATE_LIMIT_EXCEEDED", message: "Used up.", code: 4004, ...extras });
  expect(answer.headers.get("retry-after")).toBe("60");
});

test("a fault nobody expected is INTERNAL, tells nothing, and is found in the log by its request id", async () => {
  const fault = Object.assign(new TypeError("secret of the fault"), { query: "select secret" });
  const served = await serveFixture(failing(fault));
  const answer = await served.send("/open?limit=5");
  expect(answer.status).toBe(500);
  expect(answer.body).toEqual({
    error: "INTERNAL",
    message: "the server made a mistake",
    code: 5000,
    request_id: answer.headers.get("x-request-id"),
  });
  const line = served.log.find(({ level }) => level === "error");
  expect(line).toMatchObject({ request_id: answer.body.request_id, route: "/open", cause: { type: "TypeError" } });
});

test("a database error's values reach neither the answer nor the log", async () => {
  const fault = Object.assign(new Error('insert into "a" values (private-value)'), {
    code: "23505",
    severity: "ERROR",
    detail: "Key (a)=(private-value) already exists.",
    constraint: "a_pkey",
  });
  const served = await serveFixture(failing(fault));
  const answer = await served.send("/open");
  expect(answer).toMatchObject({ status: 500, body: { error: "INTERNAL" } });
  expect(JSON.stringify([answer.body, served.log])).not.toContain("private-value");
  expect(JSON.stringify(served.log)).toContain("a_pkey");
});

test("a lost database is DATABASE_UNAVAILABLE with Retry-After", async () => {
  const { fail } = await failingInTurn();
  for (const code of ["ECONNREFUSED", "57P01", "08006", "53300"]) {
    const answer = await fail(Object.assign(new Error("away"), { code }));
    expect(answer, code).toMatchObject({ status: 503, body: { error: "DATABASE_UNAVAILABLE", code: 5002 } });
    expect(answer.headers.get("retry-after")).toBe("1");
  }
});

test("what is thrown need not be an error", async () => {
  const { fail } = await failingInTurn();
  for (const thrown of ["a text", undefined, null, 5, { status: 404, message: "mine" }]) {
    const answer = await fail(thrown);
    expect(answer.status, String(thrown)).toBe(500);
    expect(answer.body.error).toBe("INTERNAL");
  }
});

test("an answer that has begun cannot become an error: its connection is cut", async () => {
  const served = await serveFixture({
    pages: (_req, res) => {
      res.writeHead(200, { "content-length": "10" });
      res.write("half");
      throw new Error("too late");
    },
  });
  await expect(served.send("/page")).rejects.toThrow();
  expect(await served.send("/open")).toMatchObject({ status: 200 });
});

test("a handler's reply that does not fit the contract is a fault where replies are checked", async () => {
  let reply: object = {};
  const served = await serveFixture({
    answers: { getOpen: (call) => call.reply({ ...reply, headers: { "Cache-Control": "public" } }) },
  });
  const wrong = [
    { status: 200, body: { said: 5 } },
    { status: 200, body: {} },
    { status: 200, body: { said: "a", more: 1 } },
    { status: 201, body: { said: "a" } },
  ];
  for (const [n, given] of wrong.entries()) {
    reply = given;
    const answer = await served.send("/open");
    expect(answer, JSON.stringify(given)).toMatchObject({ status: 500, body: { error: "INTERNAL" } });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(served.log.filter(({ level }) => level === "error").length).toBe(n + 1);
  }
});

test("an error that the operation does not name is a fault where replies are checked", async () => {
  const conflict = new RelayError("CONFLICT", "It is taken.");
  const checked = await serveFixture(failing(conflict));
  expect((await checked.send("/open")).status).toBe(500);
  const unchecked = await serveFixture({ ...failing(conflict), validateResponses: false });
  expect(await unchecked.send("/open")).toMatchObject({ status: 409, body: { error: "CONFLICT" } });
});

test("a reply's headers and media type are sent as given", async () => {
  const served = await serveFixture({
    answers: {
      getExport: (call) => call.reply({ status: 200, type: "text/csv", body: "a,b\n", headers: { "X-Rows": 1 } }),
      getOpen: (call) => call.reply({ status: 200, body: { said: "a" }, headers: { "Cache-Control": "max-age=60" } }),
    },
  });
  const csv = await served.send("/export");
  expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(csv.headers.get("x-rows")).toBe("1");
  expect(csv.body).toBe("a,b\n");
  expect((await served.send("/open")).headers.get("cache-control")).toBe("max-age=60");
});

test("a request's log line names the route and nothing of the caller", async () => {
  const served = await serveFixture();
  await served.send("/things/private-id?x=private-query", { headers: { authorization: "Bearer private-token" } });
  await served.send("/private-path");
  await expect.poll(() => served.log.length).toBe(2);
  expect(served.log[0]).toMatchObject({
    method: "GET",
    route: "/things/:thing_id",
    operation: "getThing",
    status: 400,
    error: "INVALID_REQUEST",
  });
  expect(served.log[1]).toMatchObject({ route: null, status: 404 });
  expect(JSON.stringify(served.log)).not.toMatch(/private|127\.0\.0\.1/);
});

test("pages beside the contract are served with an ETag, and their unknown paths are NOT_FOUND", async () => {
  const served = await serveFixture({
    pages: (req, res, next) => {
      if (req.path === "/page") res.type("text/plain").send("hello");
      else next();
    },
  });
  const page = await served.send("/page");
  expect(page).toMatchObject({ status: 200, body: "hello" });
  expect(page.headers.get("etag")).not.toBeNull();
  expect(page.headers.get("x-powered-by")).toBeNull();
  expect(await served.send("/pages")).toMatchObject({ status: 404, body: { error: "NOT_FOUND" } });
});
