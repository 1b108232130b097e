import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { watchEventLoop } from "../../src/platform/concurrency/event-loop.js";

it("an event loop is busy after it has worked without a break, and no longer once it has waited", async () => {
  const isBusy = watchEventLoop();
  expect(isBusy()).toBe(false);
  for (const end = performance.now() + 300; performance.now() < end; );
  // Time is counted as used once a turn of the loop has ended.
  await sleep(1);
  expect(isBusy()).toBe(true);
  await sleep(1_000);
  expect(isBusy()).toBe(false);
});
