import { afterAll, beforeAll, expect, test } from "vitest";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";

let relay: TestRelay;
let admin: TestAdmin;
let device: TestDevice;
beforeAll(async () => {
  ({ relay, admin } = await startAdministered({ domain: "relay.test:8443" }));
  device = await newDevice(relay);
});
afterAll(() => relay.stop());

/** The parameters of the contract that take a domain or an address, with their operations. */
const queries = [
  ["the domain of a slot", () => `/v1/slots/${"ab".repeat(32)}`, "domain", () => relay.config.domain],
  ["the address of key packages", () => "/api/v1/keypackage/status", "address", () => device.address],
  ["the address of a device", () => "/admin/v1/devices", "address", () => device.address],
] as const;

test.each(queries)("%s may be sent with a bare @ and : in the query", async (_, path, name, value) => {
  const token = path().startsWith("/admin/") ? admin.token : device.token;
  const ask = async (text: string) => {
    const answer = await fetch(`${relay.url}${path()}?${name}=${text}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: answer.status, body: await answer.json() };
  };
  expect(value()).toContain(":8443");
  const escaped = await ask(encodeURIComponent(value()));
  const bare = await ask(value());
  expect(bare.status).toBe(escaped.status);
  expect(bare.status).toBe(name === "domain" ? 404 : 200);
  expect(bare.body.error).toBe(escaped.body.error);
});
