import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { newClient } from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay();
});
afterAll(() => relay?.stop());

test("Node.js reports no leak if many wait until a device's queue is empty, as the groups of a device do", async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const device = await newClient(relay);
  let told = 0;
  for (let at = 0; at < 30; at++) device.queue.onEmpty(() => (told += 1));
  const receiving = device.receive({ handle: async () => {} });
  onTestFinished(() => receiving.stop());
  await until(async () => told === 30, "all are told");
  await setImmediate();
  expect(warnings).toEqual([]);
});
