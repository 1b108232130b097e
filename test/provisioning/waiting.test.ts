import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes } from "../../generated/routes.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { newBlob, type OpenAddress, openAddress, pollBlob, putBlob } from "../support/provisioning.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

// A waiting poll looks every minute here, so what is heard sooner was heard by a notification.
const settings = { provisioningPerIpHour: 100_000, provisioningLookSeconds: 60 };
let relay: TestRelay;
let second: TestRelay;
let device: TestDevice;
beforeAll(async () => {
  relay = await startRelay(settings);
  second = await startRelay({ ...relay.config }, { clock: relay.clock });
  device = await newDevice(relay);
});
afterAll(async () => {
  await second.stop();
  await relay.stop();
});

const moment = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

/** Done when the address has another waiter than before. */
async function untilWaiting(
  at: OpenAddress,
  { before = null, on = relay }: { before?: string | null; on?: TestRelay } = {},
): Promise<string> {
  const db = createDatabase({ url: on.databaseUrl, poolSize: 1 });
  try {
    for (;;) {
      const sql = "select waiter from provisioning_addresses where id = :id::uuid";
      const row = await db.one<{ waiter: string | null }>(sql, { id: at.id });
      if (row !== undefined && row.waiter !== null && row.waiter !== before) return row.waiter;
      await moment(10);
    }
  } finally {
    await db.close();
  }
}

describe("a poll that waits", () => {
  it("is answered when the blob is stored, on the same node or on another", async () => {
    for (const node of [relay, second]) {
      const opened = await openAddress(relay);
      const poll = pollBlob(relay, opened, 60);
      await untilWaiting(opened);
      const ciphertext = newBlob();
      demand(await putBlob(node, device.token, opened.id, ciphertext));
      const { status, body } = await poll;
      expect([status, body]).toEqual([200, { status: "delivered", ciphertext }]);
    }
  });

  it("is answered at once if the blob is there", async () => {
    const opened = await openAddress(relay);
    demand(await putBlob(relay, device.token, opened.id, newBlob()));
    expect((await pollBlob(second, opened, 60)).status).toBe(200);
  });

  it("is answered with 202 when its time is up", async () => {
    const opened = await openAddress(relay);
    const { status, body } = await pollBlob(relay, opened, 1);
    expect([status, body]).toEqual([202, { status: "pending", expires_at: opened.expiresAt }]);
  });

  it("is refused with more than 60 seconds", async () => {
    const opened = await openAddress(relay);
    for (const wait of [61, -1, 0.5]) expect((await pollBlob(relay, opened, wait)).body.error).toBe("INVALID_REQUEST");
  });

  it("gives way to a newer one, also on another node, which gets the blob", async () => {
    const opened = await openAddress(relay);
    const older = pollBlob(relay, opened, 60);
    const waiter = await untilWaiting(opened);
    const newer = pollBlob(second, opened, 60);
    await untilWaiting(opened, { before: waiter });
    expect((await older).status).toBe(202);
    const ciphertext = newBlob();
    demand(await putBlob(relay, device.token, opened.id, ciphertext));
    expect((await newer).body).toEqual({ status: "delivered", ciphertext });
  });

  it("does not take the blob after its client has disconnected", async () => {
    // Of a node on which one poll may wait, another one learns whether it has seen that the client left.
    const full = await startRelay({ ...relay.config, provisioningWaitersPerNode: 1 }, { clock: relay.clock });
    const [opened, other] = [await openAddress(relay), await openAddress(relay)];
    const disconnect = new AbortController();
    const url = new URL(routes.pollProvisioningBlob.path.replace(":id", opened.id), full.url);
    url.searchParams.set("wait", "60");
    const lost = fetch(url, { headers: { "X-Poll-Token": opened.pollToken }, signal: disconnect.signal });
    lost.catch(() => undefined);
    await untilWaiting(opened);
    expect((await pollBlob(full, other, 1)).status).toBe(503);
    disconnect.abort();
    await until(async () => (await pollBlob(full, other, 1)).status === 202, "the place is free");
    const ciphertext = newBlob();
    demand(await putBlob(relay, device.token, opened.id, ciphertext));
    expect(demand(await pollBlob(relay, opened)).body).toEqual({ status: "delivered", ciphertext });
    await full.stop();
  });

  it("holds no connection to the database", async () => {
    const small = await startRelay({ ...settings, databasePoolSize: 2 });
    try {
      const linker = await newDevice(small);
      const addresses: OpenAddress[] = [];
      for (let i = 0; i < 20; i++) addresses.push(await openAddress(small));
      const polls = addresses.map((at) => pollBlob(small, at, 60));
      for (const at of addresses) await untilWaiting(at, { on: small });
      for (const at of addresses) demand(await putBlob(small, linker.token, at.id, newBlob()));
      expect((await Promise.all(polls)).map(({ status }) => status)).toEqual(Array(20).fill(200));
    } finally {
      await small.stop();
    }
  });
});

describe("a server whose notifications are lost", () => {
  it("finds the blob, and the expiry of the address, by polling the database", async () => {
    const looking = await startRelay({ provisioningPerIpHour: 100, provisioningLookSeconds: 1 });
    const db = createDatabase({ url: looking.databaseUrl, poolSize: 1 });
    try {
      const filled = await openAddress(looking);
      const ending = await openAddress(looking, 30);
      const polls = [filled, ending].map((at) => pollBlob(looking, at, 60));
      for (const at of [filled, ending]) await untilWaiting(at, { on: looking });
      const sql = "update provisioning_addresses set ciphertext = 'secret'::bytea where id = :id::uuid";
      await db.run(sql, { id: filled.id });
      looking.clock.advance(31);
      const [blob, end] = await Promise.all(polls);
      expect(blob?.body).toEqual({ status: "delivered", ciphertext: Buffer.from("secret").toString("base64") });
      expect([end?.status, end?.body.error]).toEqual([404, "NOT_FOUND"]);
    } finally {
      await db.close();
      await looking.stop();
    }
  });
});

describe("a server that is being stopped", () => {
  it("answers the polls that wait", async () => {
    const stopping = await startRelay(settings);
    const opened = await openAddress(stopping);
    const poll = pollBlob(stopping, opened, 60);
    await untilWaiting(opened, { on: stopping });
    const stopped = stopping.stop();
    expect((await poll).status).toBe(202);
    await stopped;
  });
});

describe("a node with the maximum number of waiting polls", () => {
  it("answers OVERLOADED to another poll that would wait", async () => {
    const full = await startRelay({ ...settings, provisioningWaitersPerNode: 1 });
    try {
      const [waiting, other] = [await openAddress(full), await openAddress(full)];
      const poll = pollBlob(full, waiting, 60);
      await untilWaiting(waiting, { on: full });
      const refused = await pollBlob(full, other, 1);
      expect([refused.status, refused.body.error]).toEqual([503, "OVERLOADED"]);
      expect((await pollBlob(full, other)).status).toBe(202);
      const linker = await newDevice(full);
      demand(await putBlob(full, linker.token, waiting.id, newBlob()));
      expect((await poll).status).toBe(200);
    } finally {
      await full.stop();
    }
  });
});
