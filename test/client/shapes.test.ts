import { expect, test } from "vitest";
import { answerShapes, type Shape } from "../../generated/answer-shapes.js";
import { frameShapes } from "../../generated/frames.js";
import { fits } from "../../src/client/runtime/contract-shapes.js";

/** A value that has a shape. */
function exampleOf(shape: Shape): unknown {
  if (shape === "s") return "text";
  if (shape === "n") return 7;
  if (shape === "b") return true;
  if (shape === "x") return { any: "thing" };
  if (Array.isArray(shape)) return [exampleOf(shape[0])];
  return Object.fromEntries(Object.entries(shape).map(([name, member]) => [bare(name), exampleOf(member)]));
}

const bare = (name: string) => name.replace(/\?$/, "");

/** The value with one of its members missing, null, or of another type; each with the member's name. */
function* spoilt(shape: Shape, value: unknown, at = ""): Generator<[string, unknown]> {
  if (shape === "x" || typeof shape === "string") return;
  if (Array.isArray(shape)) {
    yield [`${at} is no list`, { 0: exampleOf(shape[0]) }];
    yield [`${at} has null`, [null]];
    for (const [what, item] of spoilt(shape[0], exampleOf(shape[0]), `${at}[0]`)) yield [what, [item]];
    return;
  }
  for (const [name, member] of Object.entries(shape)) {
    const [own, path] = [bare(name), `${at}.${bare(name)}`];
    const { [own]: _, ...without } = value as Record<string, unknown>;
    if (!name.endsWith("?")) yield [`${path} is missing`, without];
    if (member === "x") continue;
    for (const wrong of [null, member === "s" ? 7 : "text", member === "b" ? 0 : [[]]])
      yield [`${path} is ${JSON.stringify(wrong)}`, { ...without, [own]: wrong }];
    for (const [what, inner] of spoilt(member, exampleOf(member), path)) yield [what, { ...without, [own]: inner }];
  }
}

const answers = Object.entries(answerShapes).flatMap(([operation, byStatus]) =>
  Object.entries(byStatus as Record<string, Shape>).map(([status, shape]): [string, Shape] => [
    `${operation} ${status}`,
    shape,
  ]),
);

test.each([
  ...Object.entries(frameShapes as Record<string, Shape>),
  ...answers.filter(([, shape]) => typeof shape === "object"),
])("%s is recognised, and not with a member that is missing, null or of another type", (_, shape) => {
  const value = exampleOf(shape);
  expect(fits(value, shape)).toBe(true);
  const taken = [...spoilt(shape, value)].filter(([, wrong]) => fits(wrong, shape)).map(([what]) => what);
  expect(taken).toEqual([]);
});
