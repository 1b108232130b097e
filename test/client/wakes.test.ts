import { expect, test } from "vitest";
import { createWakes } from "../../src/client/stream/wakes.js";
import { heldSleep } from "./harness.js";

function newWakes() {
  const clock = { nowMillis: 0 };
  const stopping = new AbortController();
  const runtime = { nowMillis: () => clock.nowMillis, sleep: heldSleep() };
  return { clock, stopping, wakes: createWakes(runtime, stopping.signal) };
}

/** Whether a promise settles without anything further happening. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let isOver = false;
  void promise.finally(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return isOver;
}

test("an answer ends a wait of the client's own, and not one that the relay has asked for", async () => {
  const { wakes } = newWakes();
  const own = wakes.wait(1_000, { isRequested: false });
  wakes.wake("answered");
  expect(await isSettled(own)).toBe(true);
  const requested = wakes.wait(1_000, { isRequested: true });
  wakes.wake("answered");
  expect(await isSettled(requested)).toBe(false);
  wakes.wake("asked");
  expect(await isSettled(requested)).toBe(true);
});

test("stopping ends a wait", async () => {
  const { wakes, stopping } = newWakes();
  const wait = wakes.wait(1_000, { isRequested: true });
  stopping.abort();
  expect(await isSettled(wait)).toBe(true);
});

test("an attempt is abandoned when it is asked to, and on an answer if it is older than the answer's relay may be", async () => {
  const { wakes, clock } = newWakes();
  let abandoned = 0;
  const attempt = wakes.attempt(new Promise<void>(() => undefined), () => abandoned++);
  wakes.wake("answered");
  expect(abandoned).toBe(0);
  clock.nowMillis = 3_000;
  wakes.wake("answered");
  expect(abandoned).toBe(1);
  wakes.wake("asked");
  expect(abandoned).toBe(2);
  expect(await isSettled(attempt)).toBe(false);
});

test("no wait follows an attempt during which there was a wake, once", async () => {
  const { wakes } = newWakes();
  wakes.wake("asked");
  expect(await isSettled(wakes.wait(1_000, { isRequested: true }))).toBe(true);
  expect(await isSettled(wakes.wait(1_000, { isRequested: true }))).toBe(false);
});

test("a wake checks an open stream, and shortens no wait after it", async () => {
  const { wakes } = newWakes();
  let checks = 0;
  const end = new AbortController();
  const ended = new Promise((resolve) => end.signal.addEventListener("abort", resolve));
  const open = wakes.whileOpen(ended, () => checks++);
  wakes.wake("asked");
  wakes.wake("answered");
  expect(checks).toBe(1);
  end.abort();
  await open;
  expect(await isSettled(wakes.wait(1_000, { isRequested: false }))).toBe(false);
});
