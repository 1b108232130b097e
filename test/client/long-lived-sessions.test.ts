import { afterAll, beforeAll, expect, test } from "vitest";
import { type Runtime, runtimeWith } from "../../src/client/runtime/runtime.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { holdSockets, listen, newClient, sendText } from "./harness.js";

const pingSeconds = 0.1;
let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({
    deviceTokenSeconds: 1_000,
    deviceSessionSeconds: 100_000,
    announcementsPerHour: 100,
    connectionTimeoutSeconds: 86_400,
    seeds: { SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "2" },
  });
});
afterAll(() => relay.stop());

test("a stream takes over the newer token and stays open beyond the life of the older one", async () => {
  const sockets = holdSockets();
  const { sleep } = runtimeWith();
  let heard = 0;
  const runtime: Partial<Runtime> = {
    openSocket: sockets.openSocket,
    // However busy the machine is, the next ping waits for the answer to the one before.
    async sleep(millis, signal) {
      await sleep(millis, signal);
      if (millis !== 1_000 * pingSeconds) return;
      while (sockets.received.length === heard) await sleep(10, signal);
      heard = sockets.received.length;
    },
  };
  let tokens = 0;
  sockets.loses = (frame) => {
    if (JSON.parse(frame).type === "auth") tokens += 1;
    return false;
  };
  const [ada, ben] = [await newClient(relay), await newClient(relay, { runtime })];
  const first = ben.session()?.accessToken;
  const listener = listen(ben, { pingSeconds, renewAddressesAfterSeconds: 0 });
  await listener.until(({ statuses }) => statuses[0]?.state === "streaming");
  relay.clock.advance(800);
  await listener.until(() => ben.session()?.accessToken !== first && tokens === 2);
  // The answers to a ping and to the newer token, in whatever order they were sent.
  const before = sockets.received.length;
  await listener.until(() => sockets.received.length >= before + 2);
  relay.clock.advance(500);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await sendText(ada, ben, "still the same stream");
  await listener.until(({ texts }) => texts.length === 1);
  expect(listener.statuses.map(({ state }) => state)).not.toContain("reconnecting");
});

test("a stream that has fallen silent is given up and opened again", async () => {
  const sockets = holdSockets();
  const runtime = { openSocket: sockets.openSocket };
  const [ada, ben] = [await newClient(relay), await newClient(relay, { runtime })];
  const listener = listen(ben, { pingSeconds: 0.4 });
  await listener.until(({ statuses }) => statuses[0]?.state === "streaming");
  sockets.deaf = true;
  await sendText(ada, ben, "into a dead line");
  await listener.until(({ statuses }) => statuses.some(({ state }) => state === "reconnecting"));
  sockets.deaf = false;
  await listener.until(({ texts }) => texts.length === 1);
  expect(sockets.opened.length).toBeGreaterThan(1);
});

test("a device whose addresses have lapsed announces them anew and goes on", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  const { addresses } = ben.session() ?? {};
  for (let passed = 0; passed < 3 * 3_600; passed += 600) {
    relay.clock.advance(600);
    await ben.poll();
  }
  const listener = listen(ben);
  await listener.until(({ statuses }) => statuses.at(-1)?.state === "empty");
  expect(ben.session()?.addresses).toEqual(addresses);
  await sendText(ada, ben, "found again");
  await listener.until(({ texts }) => texts.length === 1);
});
