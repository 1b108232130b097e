import { expect } from "vitest";

// Vitest compares typed arrays one index at a time: of a file of some megabytes that takes a minute.
const marker = Symbol.for("mls-relay.equal-bytes");
const shared = globalThis as { [marker]?: true };

if (!shared[marker]) {
  shared[marker] = true;
  expect.addEqualityTesters([
    (a: unknown, b: unknown) =>
      a instanceof Uint8Array && b instanceof Uint8Array && a.constructor === b.constructor
        ? Buffer.compare(a, b) === 0
        : undefined,
  ]);
}
