import { expect, test } from "vitest";
import { ReadSlots } from "../../src/stream/read-slots.js";
import { StreamLimits } from "../../src/stream/stream-limits.js";

const config = {
  unauthenticatedStreamsPerIp: 2,
  unauthenticatedStreamsPerNode: 3,
  streamsPerNode: 4,
  ipv6SiteFactor: 1,
};
const none = () => false;

test("streams that have not authenticated are limited per network address", () => {
  const limits = new StreamLimits(config);
  expect([limits.enter("a", none), limits.enter("a", none)]).toEqual([undefined, undefined]);
  expect(limits.enter("a", none)?.limit).toBe(2);
  expect(limits.enter("b", none)).toBeUndefined();
  limits.authenticated("a");
  expect(limits.enter("a", none)).toBeUndefined();
});

test("streams that have not authenticated are limited per node", () => {
  const limits = new StreamLimits(config);
  for (const network of ["a", "b", "c"]) expect(limits.enter(network, none)).toBeUndefined();
  expect(limits.enter("d", none)?.limit).toBe(null);
  limits.authenticated("b");
  expect(limits.enter("d", none)).toBeUndefined();
});

test("all streams of a node are limited", () => {
  const limits = new StreamLimits(config);
  for (const network of ["a", "b", "c", "d"]) {
    expect(limits.enter(network, none)).toBeUndefined();
    limits.authenticated(network);
  }
  expect(limits.enter("e", none)?.limit).toBe(null);
  limits.leave();
  expect(limits.enter("e", none)).toBeUndefined();
});

test("no more tasks than the slots allow run at once, and all run in order", async () => {
  const slots = new ReadSlots(2);
  const order: number[] = [];
  let running = 0;
  let max = 0;
  const task = (index: number) =>
    slots.run(async () => {
      max = Math.max(max, ++running);
      order.push(index);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (index === 3) throw new Error("a task may fail");
      return index;
    });
  const results = await Promise.allSettled(Array.from({ length: 9 }, (_, index) => task(index)));
  expect(max).toBe(2);
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(1);
});
