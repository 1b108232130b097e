import { expect, test } from "vitest";
import { drawSchedule, faultKinds } from "./schedule.js";

test("the same number gives the same faults, and another one gives others", () => {
  expect(drawSchedule(7, 200)).toEqual(drawSchedule(7, 200));
  expect(drawSchedule(7, 200).slice(0, 50)).toEqual(drawSchedule(7, 50));
  expect(drawSchedule(8, 200)).not.toEqual(drawSchedule(7, 200));
});

test("every fault is drawn, and those that come together disturb different things", () => {
  const steps = drawSchedule(1, 1_000);
  expect(new Set(steps.map(({ fault }) => fault))).toEqual(new Set(Object.keys(faultKinds)));
  const groups: string[][] = [];
  for (const { fault, joins } of steps) {
    const { subject } = faultKinds[fault];
    if (joins) groups.at(-1)?.push(subject);
    else groups.push([subject]);
  }
  const together = groups.filter(({ length }) => length > 1);
  expect(together.filter(({ length }) => length === 3).length).toBeGreaterThan(20);
  expect(together.length).toBeGreaterThan(100);
  for (const subjects of together) {
    expect(new Set(subjects).size).toBe(subjects.length);
    expect(subjects).not.toContain("everything");
  }
});
