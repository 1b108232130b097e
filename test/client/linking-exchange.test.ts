import { afterAll, beforeAll, expect, test } from "vitest";
import { answerLinking, beginLinking } from "../../src/client/linking/linking-exchange.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { losingFetch, newClient } from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ provisioningPerIpHour: 100 });
});
afterAll(() => relay.stop());

const payload = new TextEncoder().encode('{"user_id":"user-1"}');

test("a new device is linked by the QR code, and both show the same code", async () => {
  const [existing, fresh] = [await newClient(relay), await newClient(relay, { announced: false })];
  const linking = await beginLinking(fresh.connection);
  const arriving = linking.arrived();
  const { code } = await answerLinking(existing, { qr: linking.qr, payload });
  const received = await arriving;
  expect(received.code).toBe(code);
  expect(received.payloadAfterComparison()).toEqual(payload);
});

test("a payload waits until the new device asks", async () => {
  const [existing, fresh] = [await newClient(relay), await newClient(relay, { announced: false })];
  const linking = await beginLinking(fresh.connection, 60);
  const { code } = await answerLinking(existing, { qr: linking.qr, payload });
  expect((await linking.arrived()).code).toBe(code);
  await expect(linking.arrived()).rejects.toMatchObject({ error: "NOT_FOUND" });
});

test("a second payload, a late one, and a QR code of another relay are refused", async () => {
  const [existing, fresh] = [await newClient(relay), await newClient(relay, { announced: false })];
  const linking = await beginLinking(fresh.connection, 30);
  const foreign = linking.qr.replace("@relay.test", "@other.test");
  await expect(answerLinking(existing, { qr: foreign, payload })).rejects.toThrow("another relay");
  await answerLinking(existing, { qr: linking.qr, payload });
  await expect(answerLinking(existing, { qr: linking.qr, payload })).rejects.toMatchObject({ error: "CONFLICT" });
  relay.clock.advance(31);
  await expect(answerLinking(existing, { qr: linking.qr, payload })).rejects.toThrow("expired");
});

test("a new device may give up waiting", async () => {
  const fresh = await newClient(relay, { announced: false });
  const linking = await beginLinking(fresh.connection);
  const reason = new Error("closed by the user");
  const stop = new AbortController();
  const arriving = linking.arrived(stop.signal);
  stop.abort(reason);
  await expect(arriving).rejects.toBe(reason);
});

test("answers that are lost on either side lose no payload, and both show the same code", async () => {
  const losing = () => losingFetch(({ path }, body) => path.includes("provisioning") && /ciphertext|stored/.test(body));
  const [here, there] = [losing(), losing()];
  const existing = await newClient(relay, { runtime: { fetch: here.fetch } });
  const fresh = await newClient(relay, { announced: false, runtime: { fetch: there.fetch } });
  const linking = await beginLinking(fresh.connection);
  const { code } = await answerLinking(existing, { qr: linking.qr, payload });
  const received = await linking.arrived();
  expect(received.code).toBe(code);
  expect(received.payloadAfterComparison()).toEqual(payload);
  expect([here.lost.length, there.lost.length]).toEqual([1, 1]);
});

test("a new device waits on while the network is away, and an existing one may answer again after it", async () => {
  let isAway = false;
  const runtime = {
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => setTimeout(() => resolve(signal?.throwIfAborted()), 10)),
    async fetch(url: string, init: RequestInit) {
      const response = await globalThis.fetch(url, init);
      if (isAway) throw new TypeError("no network");
      return response;
    },
  };
  const [existing, fresh] = [
    await newClient(relay, { runtime }),
    await newClient(relay, { announced: false, runtime }),
  ];
  const linking = await beginLinking(fresh.connection);
  isAway = true;
  const arriving = linking.arrived();
  await expect(answerLinking(existing, { qr: linking.qr, payload })).rejects.toThrow("no network");
  isAway = false;
  const { code } = await answerLinking(existing, { qr: linking.qr, payload });
  expect((await arriving).code).toBe(code);
});
