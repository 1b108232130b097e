import { expect, test } from "vitest";
import { startRelay } from "../support/relay.js";
import { deviceToken, serveFixture, withJson } from "./fixture-server.js";

const origin = "https://app.example";

function preflight(method: string, headers = "authorization,content-type"): RequestInit {
  return {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": method, "access-control-request-headers": headers },
  };
}

test("a page of any origin may call what is for devices, with a token", async () => {
  const served = await serveFixture();
  const asked = await served.send("/things", preflight("POST"));
  expect(asked.status).toBe(204);
  expect(Object.fromEntries(asked.headers)).toMatchObject({
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "authorization,content-type",
    "access-control-max-age": "7200",
  });
  const answer = await served.send("/things", withJson("POST", { name: "a" }, { ...deviceToken, origin }));
  expect(answer.status).toBe(202);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
});

test("a page can read errors too, and what Retry-After says", async () => {
  const served = await serveFixture();
  const answer = await served.send("/things", withJson("POST", { name: "a" }, { origin }));
  expect(answer).toMatchObject({ status: 401, body: { error: "INVALID_TOKEN" } });
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("access-control-expose-headers")).toContain("Retry-After");
});

test("what is for administrators or other relays is not for pages of other origins", async () => {
  const served = await serveFixture();
  const asked = await served.send("/things/a", preflight("DELETE"));
  expect(asked.status).toBe(405);
  expect(asked.headers.get("access-control-allow-origin")).toBeNull();
  const answer = await served.send("/things", { headers: { ...deviceToken, origin } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
});

test("an OPTIONS request that is no preflight is answered like every unknown method", async () => {
  const served = await serveFixture();
  for (const headers of [{}, { origin }, { "access-control-request-method": "POST" }]) {
    expect(await served.send("/things", { method: "OPTIONS", headers })).toMatchObject({ status: 405 });
  }
});

test("header names that are none are not repeated", async () => {
  const served = await serveFixture();
  for (const headers of ["a b", "a;b", "x".repeat(2_000), "*"]) {
    const asked = await served.send("/things", preflight("POST", headers));
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-headers")).toBeNull();
  }
});

test("the relay lets pages register, send, poll and acknowledge, and keeps administration to itself", async () => {
  const relay = await startRelay();
  try {
    const ask = async (path: string, method: string) => (await fetch(relay.url + path, preflight(method))).status;
    expect(await ask("/api/v1/announce", "POST")).toBe(204);
    expect(await ask("/v1/messages", "POST")).toBe(204);
    expect(await ask("/v1/messages", "GET")).toBe(204);
    expect(await ask("/v1/messages/0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e", "DELETE")).toBe(204);
    expect(await ask("/.well-known/svc", "GET")).toBe(204);
    expect(await ask("/admin/v1/auth/challenge", "GET")).not.toBe(204);
    expect(await ask("/admin/v1/config", "PATCH")).not.toBe(204);
  } finally {
    await relay.stop();
  }
});
