import { afterAll, beforeAll, expect, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { voidProvisioning } from "../../src/provisioning/service.js";
import { call } from "../support/api.js";
import { newDevice } from "../support/device.js";
import { newBlob, openAddress, openingBody, pollBlob, putBlob } from "../support/provisioning.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ trustedProxies: ["127.0.0.1/32"], expiryIntervalSeconds: 1 });
});
afterAll(() => relay.stop());

const open = (ip: string) =>
  call(relay, "createProvisioning", { body: openingBody(relay), headers: { "X-Forwarded-For": ip } });

it("a network address opens 10 an hour, even with many concurrent requests", async () => {
  const answers = await Promise.all(Array.from({ length: 14 }, () => open("192.0.2.7")));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(4);
  for (const { status, body } of refused) {
    expect([status, body.error, body["limit"]]).toEqual([429, "RATE_LIMIT_EXCEEDED", 10]);
    expect(body["reset_at"]).toBeGreaterThan(relay.clock.nowSeconds());
  }
  expect((await open("192.0.2.8")).status).toBe(200);
  relay.clock.advance(3605);
  expect((await open("192.0.2.7")).status).toBe(200);
});

it("a client behind a proxy that appends ports is counted by its address alone", async () => {
  for (const [own, other] of [
    ["203.0.113.1", "203.0.113.2"],
    ["[2001:db8:1::1]", "[2001:db8:2::1]"],
  ]) {
    for (let i = 0; i < 10; i++) expect((await open(`${own}:${40_000 + i}`)).status).toBe(200);
    expect((await open(`${own}:50000`)).status).toBe(429);
    expect((await open(`"${own}",`)).status).toBe(429);
    expect((await open(`${other}:40000`)).status).toBe(200);
  }
});

it("a request that breaks the contract is not counted", async () => {
  for (let i = 0; i < 12; i++) {
    const body = openingBody(relay, { timestamp: 0 });
    const headers = { "X-Forwarded-For": "192.0.2.9" };
    expect((await call(relay, "createProvisioning", { body, headers })).status).toBe(400);
  }
  expect((await open("192.0.2.9")).status).toBe(200);
});

it("expired addresses are removed with their blobs", async () => {
  const device = await newDevice(relay);
  const [short, long] = [await openAddress(relay, 30), await openAddress(relay, 300)];
  for (const { id } of [short, long]) await putBlob(relay, device.token, id, newBlob());
  relay.clock.advance(35);
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  const kept = async () => (await db.rows<{ id: string }>("select id from provisioning_addresses")).map(({ id }) => id);
  await until(async () => !(await kept()).includes(short.id), "the address is gone");
  expect(await kept()).toContain(long.id);
  await db.close();
});

it("after a restore no blob is delivered", async () => {
  const device = await newDevice(relay);
  const opened = await openAddress(relay);
  await putBlob(relay, device.token, opened.id, newBlob());
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  await voidProvisioning(db);
  await db.close();
  expect((await pollBlob(relay, opened)).body.error).toBe("NOT_FOUND");
});
