import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routes } from "../../generated/routes.js";
import { requestText } from "../../scripts/bench/http-connection.js";
import { connectRaw } from "../http/raw.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
let anna: TestDevice;

beforeAll(async () => {
  relay = await startRelay({ validateResponses: false, seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
  anna = await newDevice(relay);
  for (let at = 0; at < 16; at++) demand(await anna.send(anna.address, { ciphertext: randomBytes(1024 * 1024) }));
});
afterAll(() => relay.stop());

test("a device's next poll waits until the previous answer has left, and only a few polls may wait", async () => {
  const poll = requestText("GET", routes.pollMessages.path, { token: anna.token });
  const port = Number(new URL(relay.url).port);
  const unread = connectRaw(port);
  unread.socket.pause();
  unread.write(poll);
  const others = Array.from({ length: 24 }, () => connectRaw(port));
  const statuses: number[] = [];
  for (const raw of others) {
    raw.socket.once("data", (text: string) => {
      statuses.push(Number(text.split(" ")[1]));
      raw.socket.destroy();
    });
    raw.write(poll);
  }
  await expect.poll(() => statuses.filter((status) => status === 503).length).toBeGreaterThan(10);
  expect(statuses).not.toContain(200);

  unread.socket.destroy();
  await expect.poll(() => statuses).toContain(200);
  for (const raw of others) raw.socket.destroy();
});
