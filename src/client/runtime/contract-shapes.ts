import type { Shape } from "../../../generated/answer-shapes.js";

/** Whether a value from outside has a shape of the contract. Further members may be there. */
export function fits(value: unknown, shape: Shape): boolean {
  if (shape === "x") return true;
  if (shape === "s") return typeof value === "string";
  if (shape === "n") return typeof value === "number";
  if (shape === "b") return typeof value === "boolean";
  if (isList(shape)) return Array.isArray(value) && value.every((item) => fits(item, shape[0]));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(shape).every(([name, member]) => {
    const [bare = "", isRequired] = name.endsWith("?") ? [name.slice(0, -1), false] : [name, true];
    const given = (value as Record<string, unknown>)[bare];
    return given === undefined ? !isRequired : fits(given, member);
  });
}

function isList(shape: Exclude<Shape, string>): shape is readonly [Shape] {
  return Array.isArray(shape);
}
