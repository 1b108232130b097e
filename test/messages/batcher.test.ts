import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type BatchBounds, createBatcher } from "../../src/platform/concurrency/batcher.js";

const roomy: BatchBounds = {
  flushCount: 1_024,
  flushBytes: 1_000_000,
  waitingCount: 20_000,
  waitingBytes: 20_000_000,
  concurrent: 1,
};

interface Flushing {
  jobs: number[];
  end(): void;
  fail(error: Error): void;
}

/** A batcher whose flushes end when the test says so. */
function batcherWith(bounds: Partial<BatchBounds> = {}) {
  const flushes: Flushing[] = [];
  const batcher = createBatcher<number, number>({
    name: "numbers",
    bounds: Object.defineProperties({ ...roomy }, Object.getOwnPropertyDescriptors(bounds)),
    flush: (jobs) =>
      new Promise((settle, fail) => {
        flushes.push({ jobs, end: () => settle(jobs), fail });
      }),
  });
  const add = (job: number): Promise<number> => batcher.add(job, { count: 1, bytes: 1 });
  const sizes = (): number[] => flushes.map(({ jobs }) => jobs.length);
  return { batcher, flushes, add, sizes };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

describe("a batcher", () => {
  it("puts jobs of one turn of the event loop into one flush, while there are few", async () => {
    const { flushes, add, sizes } = batcherWith();
    const answers = numbers(40).map(add);
    await nextTurn();
    expect(sizes()).toEqual([40]);
    flushes[0]?.end();
    expect(await Promise.all(answers)).toEqual(numbers(40));
  });

  it("begins at once and then keeps its pace, if it has one, with the jobs that have come meanwhile", async () => {
    const pace = { millis: 60, fullCount: 1_000_000 };
    const { flushes, batcher, add, sizes } = batcherWith({ pace, takesAll: true });
    const began = performance.now();
    const first = add(0);
    await nextTurn();
    expect(sizes()).toEqual([1]);
    const others = [add(1), add(2)];
    flushes[0]?.end();
    await first;
    await nextTurn();
    expect(sizes()).toEqual([1]);
    others.push(add(3));
    await expect.poll(sizes).toEqual([1, 3]);
    // A timer may fire up to a millisecond early.
    expect(performance.now() - began).toBeGreaterThan(pace.millis - 2);
    flushes[1]?.end();
    expect(await Promise.all(others)).toEqual([1, 2, 3]);
    await batcher.stop();
  });

  it("does not keep its pace once enough jobs wait, and takes all of them", async () => {
    const { flushes, batcher, add, sizes } = batcherWith({
      pace: { millis: 3_600_000, fullCount: 50 },
      takesAll: true,
    });
    const first = add(0);
    await nextTurn();
    flushes[0]?.end();
    await first;
    const others = numbers(49).map(add);
    await nextTurn();
    expect(sizes()).toEqual([1]);
    others.push(add(49));
    await nextTurn();
    expect(sizes()).toEqual([1, 50]);
    flushes[1]?.end();
    expect(await Promise.all(others)).toEqual(numbers(50));
    await batcher.stop();
  });

  it("begins at once as long as it has no pace", async () => {
    let pace: BatchBounds["pace"] = { millis: 3_600_000, fullCount: 50 };
    const { flushes, batcher, add, sizes } = batcherWith({
      get pace() {
        return pace;
      },
    });
    const first = add(0);
    await nextTurn();
    flushes[0]?.end();
    await first;
    const second = add(1);
    await nextTurn();
    expect(sizes()).toEqual([1]);
    pace = undefined;
    const third = add(2);
    await nextTurn();
    expect(sizes()).toEqual([1, 2]);
    flushes[1]?.end();
    await Promise.all([second, third]);
    await batcher.stop();
  });

  it("flushes waiting jobs before it stops", async () => {
    const { flushes, batcher, add } = batcherWith({ pace: { millis: 30, fullCount: 1_000 } });
    const answers = [add(0)];
    await nextTurn();
    answers.push(add(1));
    const stopped = batcher.stop();
    flushes[0]?.end();
    await expect.poll(() => flushes.length).toBe(2);
    flushes[1]?.end();
    await stopped;
    expect(await Promise.all(answers)).toEqual([0, 1]);
  });

  it("splits callers that come again when they are answered into two halves that alternate", async () => {
    const { flushes, add, sizes } = batcherWith();
    const comeAgain = (job: number): void => void add(job).then(comeAgain);
    numbers(256).forEach(comeAgain);
    await nextTurn();
    for (let turn = 0; turn < 6; turn++) {
      flushes[turn]?.end();
      await nextTurn();
    }
    expect(sizes()).toEqual([128, 128, 128, 128, 128, 128, 128]);
  });

  it("splits nothing if enough jobs for two flushes come at once", async () => {
    const { flushes, add, sizes } = batcherWith({ flushCount: 512, concurrent: 2 });
    numbers(300).forEach((job) => void add(job));
    await nextTurn();
    numbers(200).forEach((job) => void add(job));
    await nextTurn();
    flushes[0]?.end();
    await nextTurn();
    expect(sizes()).toEqual([300, 200]);
  });

  it("separates callers again that have fallen into step", async () => {
    const { flushes, add, sizes } = batcherWith({ flushCount: 512 });
    const comeAgain = (job: number): void => void add(job).then(comeAgain);
    numbers(10).forEach(comeAgain);
    await nextTurn();
    numbers(246).forEach(comeAgain);
    for (let turn = 0; turn < 3; turn++) {
      flushes[turn]?.end();
      await nextTurn();
    }
    expect(sizes()).toEqual([10, 128, 128, 128]);
  });

  it("begins the next flush before the callers of the last one are answered", async () => {
    const { flushes, add, sizes } = batcherWith();
    const answered: number[] = [];
    for (const answer of numbers(200).map(add)) void answer.then(() => answered.push(sizes().length));
    await nextTurn();
    flushes[0]?.end();
    await nextTurn();
    expect(answered).toHaveLength(100);
    expect(new Set(answered)).toEqual(new Set([2]));
  });

  it("answers all callers in the order of arrival, across flushes", async () => {
    const { flushes, add } = batcherWith({ flushCount: 100 });
    const answers = numbers(250).map(add);
    await nextTurn();
    for (let turn = 0; turn < 3; turn++) {
      flushes[turn]?.end();
      await nextTurn();
    }
    expect(await Promise.all(answers)).toEqual(numbers(250));
    expect(flushes.flatMap(({ jobs }) => jobs)).toEqual(numbers(250));
  });

  it("reports a failure only to the callers of its flush", async () => {
    const { flushes, add } = batcherWith();
    const answers = numbers(200).map((job) => add(job).catch(() => "failed"));
    await nextTurn();
    flushes[0]?.fail(new Error("no"));
    await nextTurn();
    flushes[1]?.end();
    const outcomes = await Promise.all(answers);
    expect(outcomes.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => "failed"));
    expect(outcomes.slice(100)).toEqual(numbers(200).slice(100));
  });

  it("stops when the last flush has ended, and takes nothing more", async () => {
    const { batcher, flushes, add } = batcherWith();
    const answers = numbers(200).map(add);
    await nextTurn();
    let stopped = false;
    const stopping = batcher.stop().then(() => {
      stopped = true;
    });
    await expect(add(0)).rejects.toMatchObject({ id: "OVERLOADED" });
    flushes[0]?.end();
    await nextTurn();
    expect(stopped).toBe(false);
    flushes[1]?.end();
    await stopping;
    await Promise.all(answers);
  });
});
