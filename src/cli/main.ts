#!/usr/bin/env node
import { keepHeapSmall } from "../platform/heap.js";
import { describeProblem } from "./problem.js";

try {
  // Before most of the program is loaded: what that grows is not given back.
  if (process.argv[2] === "serve") keepHeapSmall();
  const { createProgram } = await import("./program.js");
  await (await createProgram()).parseAsync();
} catch (problem) {
  console.error(describeProblem(problem));
  process.exitCode = 1;
}
