import fc from "fast-check";
import { expect, test } from "vitest";
import { currentWindow, resetAt, unusedQuota } from "../../src/protocol/sending-window.js";

const rules = { now: 5000, windowSeconds: 3600, burstAllowance: 10, limit: 60, custom: false };

test("a device's first window has exactly its limit", () => {
  expect(currentWindow(null, rules)).toEqual({ startedAt: 5000, count: 0, limit: 60, carry: 0 });
});

test("a window runs from its first message for its whole length, and then a new one begins with the next message", () => {
  const window = { startedAt: 5000, count: 60, limit: 60, carry: 0 };
  expect(resetAt(window, 3600)).toBe(8600);
  expect(currentWindow(window, { ...rules, now: 8599 })).toEqual(window);
  expect(currentWindow(window, { ...rules, now: 8600 })).toEqual({ startedAt: 8600, count: 0, limit: 60, carry: 0 });
});

test("unused quota is carried over up to the allowance", () => {
  const carried = (count: number) => currentWindow({ startedAt: 0, count, limit: 60, carry: 0 }, rules).carry;
  expect([0, 49, 50, 53, 60, 70].map(carried)).toEqual([10, 10, 10, 7, 0, 0]);
});

test("what was carried over and not used is carried on", () => {
  const last = { startedAt: 0, count: 62, limit: 60, carry: 10 };
  expect(currentWindow(last, rules).carry).toBe(8);
});

test("a promotion counts within the running window", () => {
  const window = currentWindow({ startedAt: 4000, count: 10, limit: 10, carry: 0 }, rules);
  expect(unusedQuota(window)).toBe(50);
});

test("a custom limit neither receives nor keeps what was carried over", () => {
  const running = { startedAt: 4000, count: 3, limit: 60, carry: 10 };
  expect(currentWindow(running, { ...rules, limit: 5, custom: true })).toEqual({ ...running, limit: 5, carry: 0 });
  expect(currentWindow({ ...running, startedAt: 0 }, { ...rules, limit: 5, custom: true }).carry).toBe(0);
});

test("no window ever allows more than limit and allowance together", () => {
  const step = fc.record({ wait: fc.nat({ max: 8000 }), send: fc.nat({ max: 200 }), limit: fc.nat({ max: 100 }) });
  fc.assert(
    fc.property(fc.array(step), fc.nat({ max: 20 }), (steps, burstAllowance) => {
      let now = 0;
      let last: ReturnType<typeof currentWindow> | null = null;
      for (const { wait, send, limit } of steps) {
        now += wait;
        const window = currentWindow(last, { ...rules, now, limit, burstAllowance });
        expect(unusedQuota(window)).toBeLessThanOrEqual(limit + burstAllowance);
        last = { ...window, count: window.count + Math.min(send, unusedQuota(window)) };
      }
    }),
  );
});
