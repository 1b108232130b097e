import { expect, test } from "vitest";
import { deviceToken, serveFixture, withJson } from "./fixture-server.js";

const thing = (headers: Record<string, string> = {}) => withJson("POST", { name: "a" }, headers);

test("no token and a malformed one are INVALID_TOKEN with a challenge", async () => {
  const served = await serveFixture();
  const none = await served.send("/things", thing());
  expect(none).toMatchObject({ status: 401, body: { error: "INVALID_TOKEN", code: 4008 } });
  expect(none.headers.get("www-authenticate")).toBe('Bearer realm="relay.example"');
  for (const authorization of [
    "Bearer",
    "Bearer ",
    "Basic device-1",
    "xbearer device-1",
    "device-1",
    "Bearer a b",
    "Bearer é",
  ]) {
    const answer = await served.send("/things", thing({ authorization }));
    expect(answer, authorization).toMatchObject({ status: 401, body: { error: "INVALID_TOKEN", code: 4008 } });
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="relay.example", error="invalid_token"');
  }
  expect(served.calls).toEqual([]);
});

test("what the authenticator throws arrives with its name, code and extras", async () => {
  const served = await serveFixture();
  const as = (token: string) => served.send("/things", thing({ authorization: `Bearer ${token}` }));
  expect(await as("admin-1")).toMatchObject({
    status: 401,
    body: { error: "INVALID_TOKEN", message: "This is another kind of token." },
  });
  expect(await as("limited")).toMatchObject({
    status: 429,
    body: { error: "RATE_LIMIT_EXCEEDED", code: 4004, limit: 0, reset_at: null },
  });
  const away = await as("database");
  expect(away).toMatchObject({ status: 503, body: { error: "DATABASE_UNAVAILABLE", code: 5002 } });
  expect(away.headers.get("retry-after")).toBe("1");
  const broken = await as("broken");
  expect(broken).toMatchObject({ status: 500, body: { error: "INTERNAL", code: 5000 } });
  expect(JSON.stringify(broken.body)).not.toContain("secret");
});

test("the handler gets the principal and the token, whichever alternative they came by", async () => {
  const served = await serveFixture();
  await served.send("/things", thing({ authorization: "bearer device-1" }));
  await served.send("/things", { headers: { authorization: "Bearer federation-peer" } });
  expect(served.calls.map(({ principal, token }) => [principal?.["kind"], token])).toEqual([
    ["device", "device-1"],
    ["federation", "federation-peer"],
  ]);
  expect(await served.send("/things", { headers: { authorization: "Bearer admin-1" } })).toMatchObject({ status: 401 });
});

test("an open operation has no principal, whatever token is sent", async () => {
  const served = await serveFixture();
  expect((await served.send("/open", { headers: deviceToken })).status).toBe(200);
  expect(served.calls[0]).toMatchObject({ principal: null, token: null });
});

test("an admin without the operation's permission is refused, one with it or with all is not", async () => {
  const served = await serveFixture();
  const as = (name: string) =>
    served.send("/things/a", { method: "DELETE", headers: { authorization: `Bearer admin-${name}` } });
  expect(await as("viewer")).toMatchObject({ status: 403, body: { error: "INSUFFICIENT_PERMISSIONS", code: 4012 } });
  expect((await as("verifier")).status).toBe(204);
  expect((await as("chief")).status).toBe(204);
});

test("authentication goes before the judgement of path, query and body", async () => {
  const served = await serveFixture();
  const bad = { method: "POST", body: "{", headers: { "content-type": "text/plain" } };
  expect(await served.send("/things?unknown=1", bad)).toMatchObject({ status: 401 });
});
