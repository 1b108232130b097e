import { expect, test } from "vitest";
import { Admission } from "../../src/stream/access-control.js";
import { ReadSlots } from "../../src/stream/read-slots.js";

const config = { unauthenticatedStreamsPerIp: 2, unauthenticatedStreamsPerNode: 3, streamsPerNode: 4 };

test("streams that have not authenticated are limited per network address", () => {
  const admission = new Admission(config);
  expect([admission.enter("a"), admission.enter("a")]).toEqual([undefined, undefined]);
  expect(admission.enter("a")?.limit).toBe(2);
  expect(admission.enter("b")).toBeUndefined();
  admission.authenticated("a");
  expect(admission.enter("a")).toBeUndefined();
});

test("streams that have not authenticated are limited per node", () => {
  const admission = new Admission(config);
  for (const network of ["a", "b", "c"]) expect(admission.enter(network)).toBeUndefined();
  expect(admission.enter("d")?.limit).toBe(null);
  admission.authenticated("b");
  expect(admission.enter("d")).toBeUndefined();
});

test("all streams of a node are limited", () => {
  const admission = new Admission(config);
  for (const network of ["a", "b", "c", "d"]) {
    expect(admission.enter(network)).toBeUndefined();
    admission.authenticated(network);
  }
  expect(admission.enter("e")?.limit).toBe(null);
  admission.leave();
  expect(admission.enter("e")).toBeUndefined();
});

test("no more tasks than the slots allow run at once, and all run in their order", async () => {
  const slots = new ReadSlots(2);
  const order: number[] = [];
  let running = 0;
  let most = 0;
  const task = (index: number) =>
    slots.run(async () => {
      most = Math.max(most, ++running);
      order.push(index);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (index === 3) throw new Error("a task may fail");
      return index;
    });
  const results = await Promise.allSettled(Array.from({ length: 9 }, (_, index) => task(index)));
  expect(most).toBe(2);
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(1);
});
