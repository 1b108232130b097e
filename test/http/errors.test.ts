import { expect, test } from "vitest";
import { RelayError } from "../../src/protocol/errors.js";
import { type Door, openDoor } from "./door.js";

const failing = (error: unknown) => ({
  answers: {
    getOpen: () => {
      throw error;
    },
  },
});

/** A door whose handler fails as the test says next. */
async function failingInTurn(): Promise<{ fail(error: unknown): ReturnType<Door["send"]>; log: Door["log"] }> {
  let next: unknown;
  const door = await openDoor({
    answers: {
      getOpen: () => {
        throw next;
      },
    },
  });
  const fail = (error: unknown) => {
    next = error;
    return door.send("/open");
  };
  return { fail, log: door.log };
}

test("a handler's catalogue error is answered with its status, code, extras and headers", async () => {
  const extras = { limit: 10, reset_at: 1_700_000_000, retry_after: 59.2 };
  const door = await openDoor({
    ...failing(new RelayError("RATE_LIMIT_EXCEEDED", "Used up.", { extras })),
    validateResponses: false,
  });
  const answer = await door.send("/open");
  expect(answer.status).toBe(429);
  expect(answer.body).toEqual({ error: "RATE_LIMIT_EXCEEDED", message: "Used up.", code: 4004, ...extras });
  expect(answer.headers.get("retry-after")).toBe("60");
});

test("a fault nobody expected is INTERNAL, tells nothing, and is found in the log by its request id", async () => {
  const fault = Object.assign(new TypeError("secret of the fault"), { query: "select secret" });
  const door = await openDoor(failing(fault));
  const answer = await door.send("/open?limit=5");
  expect(answer.status).toBe(500);
  expect(answer.body).toEqual({
    error: "INTERNAL",
    message: "the server made a mistake",
    code: 5000,
    request_id: answer.headers.get("x-request-id"),
  });
  const line = door.log.find(({ level }) => level === "error");
  expect(line).toMatchObject({ request_id: answer.body.request_id, route: "/open", cause: { type: "TypeError" } });
});

test("a database error's values reach neither the answer nor the log", async () => {
  const fault = Object.assign(new Error('insert into "a" values (private-value)'), {
    code: "23505",
    severity: "ERROR",
    detail: "Key (a)=(private-value) already exists.",
    constraint: "a_pkey",
  });
  const door = await openDoor(failing(fault));
  const answer = await door.send("/open");
  expect(answer).toMatchObject({ status: 500, body: { error: "INTERNAL" } });
  expect(JSON.stringify([answer.body, door.log])).not.toContain("private-value");
  expect(JSON.stringify(door.log)).toContain("a_pkey");
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
  const door = await openDoor({
    pages: (_req, res) => {
      res.writeHead(200, { "content-length": "10" });
      res.write("half");
      throw new Error("too late");
    },
  });
  await expect(door.send("/page")).rejects.toThrow();
  expect(await door.send("/open")).toMatchObject({ status: 200 });
});

test("a handler's reply that does not fit the contract is a fault where replies are checked", async () => {
  let reply: object = {};
  const door = await openDoor({
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
    const answer = await door.send("/open");
    expect(answer, JSON.stringify(given)).toMatchObject({ status: 500, body: { error: "INTERNAL" } });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(door.log.filter(({ level }) => level === "error").length).toBe(n + 1);
  }
});

test("an error that the operation does not name is a fault where replies are checked", async () => {
  const conflict = new RelayError("CONFLICT", "It is taken.");
  const checked = await openDoor(failing(conflict));
  expect((await checked.send("/open")).status).toBe(500);
  const unchecked = await openDoor({ ...failing(conflict), validateResponses: false });
  expect(await unchecked.send("/open")).toMatchObject({ status: 409, body: { error: "CONFLICT" } });
});

test("a reply's headers and media type are sent as given", async () => {
  const door = await openDoor({
    answers: {
      getExport: (call) => call.reply({ status: 200, type: "text/csv", body: "a,b\n", headers: { "X-Rows": 1 } }),
      getOpen: (call) => call.reply({ status: 200, body: { said: "a" }, headers: { "Cache-Control": "max-age=60" } }),
    },
  });
  const csv = await door.send("/export");
  expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(csv.headers.get("x-rows")).toBe("1");
  expect(csv.body).toBe("a,b\n");
  expect((await door.send("/open")).headers.get("cache-control")).toBe("max-age=60");
});

test("a request's log line names the route and nothing of the caller", async () => {
  const door = await openDoor();
  await door.send("/things/private-id?x=private-query", { headers: { authorization: "Bearer private-token" } });
  await door.send("/private-path");
  await expect.poll(() => door.log.length).toBe(2);
  expect(door.log[0]).toMatchObject({
    method: "GET",
    route: "/things/:thing_id",
    operation: "getThing",
    status: 400,
    error: "INVALID_REQUEST",
  });
  expect(door.log[1]).toMatchObject({ route: null, status: 404 });
  expect(JSON.stringify(door.log)).not.toMatch(/private|127\.0\.0\.1/);
});

test("pages beside the contract are served with an ETag, and their unknown paths are NOT_FOUND", async () => {
  const door = await openDoor({
    pages: (req, res, next) => {
      if (req.path === "/page") res.type("text/plain").send("hello");
      else next();
    },
  });
  const page = await door.send("/page");
  expect(page).toMatchObject({ status: 200, body: "hello" });
  expect(page.headers.get("etag")).not.toBeNull();
  expect(page.headers.get("x-powered-by")).toBeNull();
  expect(await door.send("/pages")).toMatchObject({ status: 404, body: { error: "NOT_FOUND" } });
});
