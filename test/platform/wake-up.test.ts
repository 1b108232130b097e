import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { createWakeUp } from "../../src/platform/concurrency/wake-up.js";

it.each([2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER])("a wait of %d ms lasts until it is woken", async (millis) => {
  const { wait, wake } = createWakeUp();
  const order: string[] = [];
  const over = wait(millis).then(() => order.push("over"));
  // A timer that overflows fires after a millisecond.
  await setTimeout(20);
  order.push("woken");
  wake();
  await over;
  expect(order).toEqual(["woken", "over"]);
});
