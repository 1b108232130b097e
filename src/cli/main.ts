#!/usr/bin/env node
import { describeProblem } from "./problem.js";
import { createProgram } from "./program.js";

try {
  await (await createProgram()).parseAsync();
} catch (problem) {
  console.error(describeProblem(problem));
  process.exitCode = 1;
}
