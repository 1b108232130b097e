/** A small mistake planted into a copy of the server, to see whether it is found. */
export interface Fault {
  /** What is wrong then, in words. */
  name: string;
  /** Where, and the text that is replaced: it occurs there once. */
  file: string;
  find: string;
  replace: string;
  /** What is expected to find it: fuzzing these operations, or this test. */
  foundBy: { operations: readonly string[] } | { test: string };
}
