import { afterAll, beforeAll, expect, test } from "vitest";
import { answerLinking, beginLinking } from "../../src/client/linking-exchange.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { newClient } from "./harness.js";

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
