import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Ground, openGround } from "./ground.js";

let ground: Ground;

beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.stop());

test("federation.enabled decides whether messages for other servers are taken", async () => {
  const device = await ground.device();
  await ground.set("federation.enabled", false);
  const { status, body } = await device.send(`${randomUUID()}@elsewhere.example`);
  expect([status, body.error]).toEqual([503, "FEDERATION_DISABLED"]);
  const { federation_enabled, capabilities } = await ground.discovery();
  expect([federation_enabled, capabilities.federation_enabled]).toEqual([false, false]);
  await ground.set("federation.enabled", true);
  expect((await ground.discovery()).federation_enabled).toBe(true);
});
