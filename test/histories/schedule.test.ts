import { expect, test } from "vitest";
import { drawSchedule, faultKinds } from "./schedule.js";

test("the same number gives the same faults, and another one gives others", () => {
  expect(drawSchedule(7, 200)).toEqual(drawSchedule(7, 200));
  expect(drawSchedule(7, 200).slice(0, 50)).toEqual(drawSchedule(7, 50));
  expect(drawSchedule(8, 200)).not.toEqual(drawSchedule(7, 200));
});

test("every fault is drawn, and two that come together disturb different things", () => {
  const steps = drawSchedule(1, 1_000);
  expect(new Set(steps.map(({ fault }) => fault))).toEqual(new Set(Object.keys(faultKinds)));
  const together = steps.flatMap((step, at) => (step.joins ? [[steps[at - 1], step]] : []));
  expect(together.length).toBeGreaterThan(50);
  for (const [one, other] of together) {
    const subjects = [one, other].map((step) => step && faultKinds[step.fault].subject);
    expect(new Set(subjects).size).toBe(2);
    expect(subjects).not.toContain("everything");
  }
});
