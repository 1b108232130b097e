import fc from "fast-check";
import { expect, test } from "vitest";
import type { QueuedMessage, QueueSlice } from "../../src/messages/model/types.js";
import { Backlog } from "../../src/stream/backlog.js";

function message(position: number, bytes = 10): QueuedMessage {
  return {
    position,
    messageId: `id-${position}`,
    ciphertext: Buffer.alloc(bytes),
    senderSignature: "",
    timestamp: 0,
    receivedAt: 0,
    systemEvent: null,
  };
}

function drained(backlog: Backlog): number[] {
  const positions: number[] = [];
  for (let next = backlog.next(0); next !== undefined; next = backlog.next(0)) positions.push(next.position);
  return positions;
}

/** A backlog that has found its queue empty up to a position. */
function caughtUp(head: number, limitBytes = 1_000_000): { backlog: Backlog; budget: { usedBytes: number } } {
  const budget = { limitBytes, usedBytes: 0 };
  const backlog = new Backlog(budget);
  backlog.beginRead();
  backlog.endRead({ messages: [], head });
  return { backlog, budget };
}

test("a new stream reads its queue before anything else", () => {
  const backlog = new Backlog({ limitBytes: 1000, usedBytes: 0 });
  expect(backlog.wantsRead).toBe(true);
  backlog.arrived({ from: 0, head: 1, messages: [message(1)] });
  expect(drained(backlog)).toEqual([]);
});

test("messages that follow without a gap are taken from memory", () => {
  const { backlog } = caughtUp(4);
  backlog.arrived({ from: 4, head: 6, messages: [message(5), message(6)] });
  expect(backlog.wantsRead).toBe(false);
  expect(drained(backlog)).toEqual([5, 6]);
  expect(backlog.empty).toBe(true);
});

test("messages after a gap are read from the queue, and known ones are ignored", () => {
  const { backlog } = caughtUp(4);
  backlog.arrived({ from: 5, head: 6, messages: [message(6)] });
  expect(backlog.wantsRead).toBe(true);
  backlog.beginRead();
  backlog.endRead({ messages: [message(5), message(6)], head: 6 });
  backlog.arrived({ from: 4, head: 5, messages: [message(5)] });
  expect(drained(backlog)).toEqual([5, 6]);
  expect(backlog.wantsRead).toBe(false);
});

test("messages that arrive during a read are taken when it ends, in the order of the queue, and not read again", () => {
  const { backlog, budget } = caughtUp(4);
  backlog.wake();
  backlog.beginRead();
  backlog.arrived({ from: 6, head: 7, messages: [message(7)] });
  backlog.arrived({ from: 4, head: 6, messages: [message(5), message(6)] });
  backlog.arrived({ from: 7, head: 9, messages: [message(8), message(9)] });
  backlog.left(8);
  backlog.endRead({ messages: [message(5), message(6)], head: 6 });
  expect(backlog.wantsRead).toBe(false);
  expect(drained(backlog)).toEqual([5, 6, 7, 9]);
  expect([backlog.empty, budget.usedBytes]).toEqual([true, 0]);
});

test("messages that arrive during a read and leave a gap after it, or are too many, are read", () => {
  for (const [head, bytes] of [[6, 10] as const, [5, 1_100] as const]) {
    const { backlog, budget } = caughtUp(4, 1_500);
    backlog.wake();
    backlog.beginRead();
    backlog.arrived({ from: head, head: head + 2, messages: [message(head + 1), message(head + 2, bytes)] });
    backlog.endRead({ messages: [message(5)], head: 5 });
    expect(drained(backlog)).toEqual([5]);
    expect([backlog.wantsRead, budget.usedBytes]).toEqual([true, 0]);
  }
});

test("a read that fails, and a stream that ends during one, release messages that arrived meanwhile", () => {
  for (const end of [(of: Backlog) => of.failRead(), (of: Backlog) => of.stop()]) {
    const { backlog, budget } = caughtUp(4);
    backlog.wake();
    backlog.beginRead();
    backlog.arrived({ from: 4, head: 5, messages: [message(5)] });
    expect(budget.usedBytes).toBe(410);
    end(backlog);
    expect([budget.usedBytes, drained(backlog)]).toEqual([0, []]);
  }
});

test("a message that left the queue early is not taken, whether it is held, being read, or yet to arrive", () => {
  const { backlog, budget } = caughtUp(4);
  backlog.arrived({ from: 4, head: 6, messages: [message(5), message(6)] });
  backlog.left(6);
  expect(drained(backlog)).toEqual([5]);
  expect(budget.usedBytes).toBe(0);
  backlog.wake();
  backlog.beginRead();
  backlog.left(7);
  backlog.endRead({ messages: [message(7), message(8)], head: 8 });
  expect(drained(backlog)).toEqual([8]);
  backlog.left(9);
  backlog.arrived({ from: 8, head: 10, messages: [message(9), message(10)] });
  expect(drained(backlog)).toEqual([10]);
  expect(backlog.empty).toBe(true);
});

test("messages beyond the memory of the node stay in the queue", () => {
  const { backlog, budget } = caughtUp(0, 1500);
  backlog.arrived({ from: 0, head: 3, messages: [message(1, 300), message(2, 300), message(3, 300)] });
  expect(budget.usedBytes).toBe(1400);
  expect(drained(backlog)).toEqual([1, 2]);
  expect(budget.usedBytes).toBe(0);
  expect(backlog.wantsRead).toBe(true);
});

test("a stream that ends gives its memory back and takes nothing more", () => {
  const { backlog, budget } = caughtUp(0);
  backlog.arrived({ from: 0, head: 1, messages: [message(1)] });
  backlog.stop();
  backlog.arrived({ from: 1, head: 2, messages: [message(2)] });
  expect(budget.usedBytes).toBe(0);
  expect(drained(backlog)).toEqual([]);
  expect(backlog.wantsRead).toBe(false);
});

test("a failed read is repeated", () => {
  const backlog = new Backlog({ limitBytes: 1000, usedBytes: 0 });
  backlog.beginRead();
  expect(backlog.wantsRead).toBe(false);
  backlog.failRead();
  expect(backlog.wantsRead).toBe(true);
});

type Step =
  | { do: "commit"; count: number; arrives: "now" | "late" | "never" }
  | { do: "tell" | "beginRead" | "endRead" | "wake" | "takeOne" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant("commit" as const),
    count: fc.integer({ min: 1, max: 4 }),
    arrives: fc.constantFrom("now" as const, "late" as const, "never" as const),
  }),
  fc.record({
    do: fc.constantFrom("tell" as const, "beginRead" as const, "endRead" as const, "wake" as const, "takeOne" as const),
  }),
);

test("in any order of commits, arrivals and reads every message is taken once and in order", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const backlog = new Backlog({ limitBytes: 2_000, usedBytes: 0 });
      let head = 0;
      const late: { from: number; head: number; messages: QueuedMessage[] }[] = [];
      let slice: QueueSlice | undefined;
      const taken: number[] = [];
      const read = (): QueueSlice => {
        const positions = Array.from({ length: head - backlog.cursor }, (_, index) => backlog.cursor + 1 + index);
        return { messages: positions.slice(0, 3).map((position) => message(position)), head };
      };
      const take = () => {
        const next = backlog.next(0);
        if (next) taken.push(next.position);
        return next !== undefined;
      };
      for (const action of steps) {
        if (action.do === "commit") {
          const messages = Array.from({ length: action.count }, (_, index) => message(head + 1 + index));
          const committed = { from: head, head: head + action.count, messages };
          head = committed.head;
          if (action.arrives === "now") backlog.arrived(committed);
          if (action.arrives === "late") late.push(committed);
        }
        if (action.do === "tell" && late.length > 0) backlog.arrived(late.shift() as (typeof late)[0]);
        if (action.do === "wake") backlog.wake();
        if (action.do === "takeOne") take();
        if (action.do === "beginRead" && backlog.wantsRead) {
          backlog.beginRead();
          slice = read();
        }
        if (action.do === "endRead" && slice !== undefined) {
          backlog.endRead(slice);
          slice = undefined;
        }
      }
      if (slice !== undefined) backlog.endRead(slice);
      backlog.wake();
      while (!backlog.empty) {
        while (take());
        if (backlog.wantsRead) {
          backlog.beginRead();
          backlog.endRead(read());
        }
      }
      expect(taken).toEqual(Array.from({ length: head }, (_, index) => index + 1));
    }),
  );
});

test("messages that have expired while they were held are passed over, and their bytes are returned", () => {
  const { backlog, budget } = caughtUp(0);
  const messages = [1, 2, 3].map((position) => ({ ...message(position), expiresAt: position === 3 ? 20 : 10 }));
  backlog.arrived({ from: 0, head: 3, messages });
  expect(backlog.next(10)?.position).toBe(3);
  expect([budget.usedBytes, backlog.empty]).toEqual([0, true]);
});
