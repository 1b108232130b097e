#!/usr/bin/env node
import { printError } from "../platform/print.js";
import { keepHeapSmall } from "../process/heap.js";
import { limitHelperThreads } from "../process/helper-threads.js";
import { describeProblem } from "./problem.js";

let isUnwritten = false;

try {
  // Called before most of the program is loaded, because memory and time that loading takes are not given back.
  if (process.argv[2] === "serve") {
    limitHelperThreads();
    keepHeapSmall();
  } else for (const output of [process.stdout, process.stderr]) output.on("error", endUnwritten);
  const { createProgram } = await import("./program.js");
  await (await createProgram()).parseAsync();
} catch (problem) {
  report(problem);
}

/** A reader that stops early (`| head`) is not a failure; a full disk is. A relay keeps running even if nobody reads its output. */
function endUnwritten(error: NodeJS.ErrnoException): void {
  if (isUnwritten) return;
  isUnwritten = true;
  if (error.code !== "EPIPE") report(error);
  // Ends commands that run until they are stopped.
  process.emit("SIGTERM");
}

function report(problem: unknown): void {
  const withStack = ["debug", "trace"].includes(process.env["LOG_LEVEL"] ?? "");
  printError(describeProblem(problem, { withStack }));
  process.exitCode = 1;
}
