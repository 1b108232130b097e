import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OperationId } from "../../generated/handlers.js";
import { type Route, routes } from "../../generated/routes.js";
import { type Permission, permissions } from "../../src/admin/service.js";
import { type AdminKeys, adminKeys, logIn, type TestAdmin } from "../support/admin.js";
import { type Answer, call, type Sending } from "../support/api.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

// Every operation that takes an admin token, in any module, against every permission.
const adminOperations = (Object.entries(routes) as [OperationId, Route][]).filter(([, { security }]) =>
  security.includes("admin"),
);
const keys = Object.fromEntries(permissions.map((permission) => [permission, adminKeys(permission)])) as Record<
  Permission,
  AdminKeys
>;
let relay: TestRelay;
let admins: Record<Permission, TestAdmin>;
let device: TestDevice;

beforeAll(async () => {
  relay = await startRelay({ adminList: permissions.map((permission) => keys[permission].seed).join(",") });
  const sessions = permissions.map(async (permission) => [permission, await logIn(relay, keys[permission])]);
  admins = Object.fromEntries(await Promise.all(sessions));
  device = await newDevice(relay);
});
afterAll(() => relay.stop());

describe.each(adminOperations)("%s", (operation, { permission, path }) => {
  const params = Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, "none"]));
  const send = (sending: Sending): Promise<Answer<unknown>> => call(relay, operation, { params, ...sending });
  const right = permission === null ? permissions : permissions.filter((held) => [permission, "all"].includes(held));
  const wrong = permissions.filter((held) => !right.includes(held));

  test("is refused without a token, with a made-up one and with a device's", async () => {
    for (const sending of [{}, { token: "no.such.token" }, { token: device.token }]) {
      const answer = await send(sending);
      expect([answer.status, answer.body.error]).toEqual([401, "INVALID_TOKEN"]);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer /);
    }
  });

  // Some are open to every administrator.
  if (wrong.length > 0) {
    test(`is refused without ${permission}`, async () => {
      for (const held of wrong) {
        const answer = await send({ token: admins[held].token });
        expect([held, answer.status, answer.body.error]).toEqual([held, 403, "INSUFFICIENT_PERMISSIONS"]);
      }
    });
  }

  test(`is open with ${permission ?? "any permission"}`, async () => {
    for (const held of right) {
      // A session of its own, since one of the operations ends it.
      const { token } = await logIn(relay, keys[held]);
      const answer = await send({ token });
      expect([held, answer.body.error]).not.toEqual([held, "INSUFFICIENT_PERMISSIONS"]);
      expect([200, 201, 202, 400, 404, 409]).toContain(answer.status);
    }
  });
});
