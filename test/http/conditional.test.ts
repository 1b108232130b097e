import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../generated/routes.js";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";

let relay: TestRelay;
let admin: TestAdmin;

beforeAll(async () => {
  ({ relay, admin } = await startAdministered());
});
afterAll(() => relay.stop());

const get = (operation: "getConfig" | "listInvites", known?: string) =>
  call(relay, operation, { token: admin.token, ...(known !== undefined && { headers: { "if-none-match": known } }) });
const tagOf = ({ headers }: { headers: Headers }) => headers.get("etag") ?? "";

describe("an operation that takes If-None-Match", () => {
  test("answers 304 without a body to who has the answer, and the answer again once it has changed", async () => {
    const first = demand(await get("getConfig"));
    expect(tagOf(first)).toMatch(/^"[\w-]{22}"$/);
    const second = await get("getConfig", tagOf(first));
    expect([second.status, tagOf(second), second.body]).toEqual([304, tagOf(first), { text: "" }]);
    expect(second.headers.get("x-request-id")).not.toBeNull();
    expect(second.headers.get("content-length")).toBeNull();
    const change = { body: { storage: { message_queue_limit: 1234 } }, token: admin.token };
    demand(await call(relay, "updateConfig", change));
    const third = await get("getConfig", tagOf(first));
    expect(third).toMatchObject({ status: 200, body: { storage: { message_queue_limit: 1234 } } });
    expect(tagOf(third)).not.toBe(tagOf(first));
  });

  test("compares weakly, takes several tags, and any", async () => {
    const tag = tagOf(await get("listInvites"));
    for (const known of [`W/${tag}`, `"other", ${tag}`, "*"])
      expect((await get("listInvites", known)).status).toBe(304);
    for (const known of ['"other"', "nonsense", tag.replaceAll('"', "")])
      expect((await get("listInvites", known)).status).toBe(200);
  });

  test("still asks who is there and whether that one may", async () => {
    const tag = tagOf(await get("listInvites"));
    const answer = await call(relay, "listInvites", { headers: { "if-none-match": tag } });
    expect(answer).toMatchObject({ status: 401, body: { error: "INVALID_TOKEN" } });
  });

  test("is every one that the console polls; the others ignore it", async () => {
    const { headers } = demand(await call(relay, "getDiscovery"));
    expect(headers.get("etag")).toBeNull();
    const conditional = Object.entries(routes).filter(([, route]) => route.conditional);
    expect(conditional.map(([, { method }]) => method)).toEqual(conditional.map(() => "get"));
    expect(conditional.every(([, { path }]) => path.startsWith("/admin/v1/"))).toBe(true);
  });
});
