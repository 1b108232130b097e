import { expect, test } from "vitest";
import { deviceToken, openDoor, withJson } from "./door.js";

const thing = (headers: Record<string, string> = {}) => withJson("POST", { name: "a" }, headers);

test("no token and a malformed one are INVALID_TOKEN with a challenge", async () => {
  const door = await openDoor();
  const none = await door.send("/things", thing());
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
    const answer = await door.send("/things", thing({ authorization }));
    expect(answer, authorization).toMatchObject({ status: 401, body: { error: "INVALID_TOKEN", code: 4008 } });
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="relay.example", error="invalid_token"');
  }
  expect(door.calls).toEqual([]);
});

test("what the authenticator throws arrives with its name, code and extras", async () => {
  const door = await openDoor();
  const as = (token: string) => door.send("/things", thing({ authorization: `Bearer ${token}` }));
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
  const door = await openDoor();
  await door.send("/things", thing({ authorization: "bearer device-1" }));
  await door.send("/things", { headers: { authorization: "Bearer federation-peer" } });
  expect(door.calls.map(({ principal, token }) => [principal?.["kind"], token])).toEqual([
    ["device", "device-1"],
    ["federation", "federation-peer"],
  ]);
  expect(await door.send("/things", { headers: { authorization: "Bearer admin-1" } })).toMatchObject({ status: 401 });
});

test("an open operation has no principal, whatever token is sent", async () => {
  const door = await openDoor();
  expect((await door.send("/open", { headers: deviceToken })).status).toBe(200);
  expect(door.calls[0]).toMatchObject({ principal: null, token: null });
});

test("an admin without the operation's permission is refused, one with it or with all is not", async () => {
  const door = await openDoor();
  const as = (name: string) =>
    door.send("/things/a", { method: "DELETE", headers: { authorization: `Bearer admin-${name}` } });
  expect(await as("viewer")).toMatchObject({ status: 403, body: { error: "INSUFFICIENT_PERMISSIONS", code: 4012 } });
  expect((await as("verifier")).status).toBe(204);
  expect((await as("chief")).status).toBe(204);
});

test("authentication goes before the judgement of path, query and body", async () => {
  const door = await openDoor();
  const bad = { method: "POST", body: "{", headers: { "content-type": "text/plain" } };
  expect(await door.send("/things?unknown=1", bad)).toMatchObject({ status: 401 });
});
