import fc from "fast-check";
import { expect, test } from "vitest";
import { FlowWindow } from "../../src/stream/flow-window.js";

const rules = { size: 10, ackTimeoutMillis: 60_000 };

/** Pushes messages 1 to `count`, each with its position as id. */
function windowWith(count: number, now = 0): FlowWindow {
  const window = new FlowWindow(rules);
  for (let position = 1; position <= count; position++) window.pushed({ messageId: String(position), position }, now);
  return window;
}

test("ten messages fill the window, and each one that is claimed or has left makes room for another", () => {
  const window = windowWith(9);
  expect(window.mayPush(0)).toBe(true);
  window.pushed({ messageId: "10", position: 10 }, 0);
  expect(window.mayPush(0)).toBe(false);
  window.release(4);
  expect(window.mayPush(0)).toBe(true);
  window.pushed({ messageId: "11", position: 11 }, 0);
  expect(window.mayPush(0)).toBe(false);
  expect(window.claim("5")).toBe(5);
  expect(window.mayPush(0)).toBe(true);
});

test("a claimed message is held until it is released, and takes its room back if it is not", () => {
  const window = windowWith(10);
  expect(window.claim("3")).toBe(3);
  expect(window.claim("3")).toBeUndefined();
  expect(window.held).toBe(10);
  expect(window.mayPush(0)).toBe(true);
  window.unclaim(3);
  expect(window.mayPush(0)).toBe(false);
  expect(window.claim("3")).toBe(3);
  window.release(3);
  expect(window.held).toBe(9);
});

test("a window that has become smaller pushes nothing until enough is acknowledged", () => {
  const window = windowWith(10);
  window.size = 8;
  window.claim("1");
  window.claim("2");
  expect(window.mayPush(0)).toBe(false);
  window.claim("3");
  expect(window.mayPush(0)).toBe(true);
});

test("of two messages with the same id the older is claimed first", () => {
  const window = new FlowWindow(rules);
  window.pushed({ messageId: "same", position: 7 }, 0);
  window.pushed({ messageId: "same", position: 9 }, 0);
  expect([window.claim("same"), window.claim("same"), window.claim("same")]).toEqual([7, 9, undefined]);
});

test("sixty seconds without an acknowledgement pause delivery until one arrives", () => {
  const window = windowWith(1);
  expect(window.mayPush(59_999)).toBe(true);
  expect(window.mayPush(60_000)).toBe(false);
  expect(window.paused(60_000)).toBe(true);
  window.heard(70_000);
  expect(window.mayPush(70_000)).toBe(true);
  expect(window.paused(130_000)).toBe(true);
});

test("an empty window never pauses, however long nothing was acknowledged", () => {
  const window = windowWith(1);
  window.release(1);
  expect(window.mayPush(1_000_000)).toBe(true);
  window.pushed({ messageId: "2", position: 2 }, 1_000_000);
  expect(window.paused(1_000_001)).toBe(false);
});

test("messages that expired or were acknowledged over HTTP make room", () => {
  const window = windowWith(10);
  window.keepOnly(new Set([2, 5]), 6);
  expect(window.held).toBe(6);
  expect(window.oldest()).toBe(2);
});

type Step =
  | { do: "push"; id: number }
  | { do: "claim"; id: number }
  | { do: "release" | "unclaim"; nth: number }
  | { do: "wait"; millis: number }
  | { do: "heard" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("push" as const), id: fc.nat(5) }),
  fc.record({ do: fc.constant("claim" as const), id: fc.nat(5) }),
  fc.record({ do: fc.constantFrom("release" as const, "unclaim" as const), nth: fc.nat(9) }),
  fc.record({ do: fc.constant("wait" as const), millis: fc.nat(90_000) }),
  fc.record({ do: fc.constant("heard" as const) }),
);

test("in any order of calls the window agrees with a plain list of outstanding messages", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const window = new FlowWindow({ size: 3, ackTimeoutMillis: 60_000 });
      let out: { id: string; position: number; claimed: boolean }[] = [];
      let now = 0;
      let quietSince = 0;
      let position = 0;
      for (const action of steps) {
        if (action.do === "wait") now += action.millis;
        if (action.do === "heard") {
          window.heard(now);
          quietSince = now;
        }
        if (action.do === "push" && window.mayPush(now)) {
          if (out.every((entry) => entry.claimed)) quietSince = now;
          position++;
          window.pushed({ messageId: String(action.id), position }, now);
          out.push({ id: String(action.id), position, claimed: false });
        }
        if (action.do === "claim") {
          const expected = out.find((entry) => !entry.claimed && entry.id === String(action.id));
          expect(window.claim(String(action.id))).toBe(expected?.position);
          if (expected) expected.claimed = true;
        }
        if (action.do === "release" || action.do === "unclaim") {
          const claimed = out.filter((entry) => entry.claimed);
          const entry = claimed[action.nth % Math.max(1, claimed.length)];
          if (entry === undefined) continue;
          if (action.do === "release") {
            window.release(entry.position);
            out = out.filter((other) => other !== entry);
          } else {
            window.unclaim(entry.position);
            entry.claimed = false;
          }
        }
        const outstanding = out.filter((entry) => !entry.claimed).length;
        expect(window.held).toBe(out.length);
        expect(window.oldest()).toBe(out[0]?.position);
        expect(window.paused(now)).toBe(outstanding > 0 && now - quietSince >= 60_000);
        expect(window.mayPush(now)).toBe(outstanding < 3 && !window.paused(now));
      }
    }),
  );
});
