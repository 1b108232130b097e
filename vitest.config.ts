import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.js";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: [
      "test/support/equal-bytes.ts",
      "test/support/leaks.ts",
      "test/support/show-faults.ts",
      "test/support/statements.ts",
    ],
    pool: "forks",
    // The files of a worker share the modules they load and the validators compiled of the contract: a third of the time.
    isolate: false,
    // Four more than there are cores, because files wait: for processes that start, for a browser, for a deadline.
    maxWorkers: Math.min(availableParallelism() + 4, 8),
    sequence: { sequencer: LongestFirst },
    // A later run finds its modules transformed: a third of the processor time where it has one test file.
    experimental: { fsModuleCache: true },
    // Nothing is asserted by these: they end what hangs, on a machine however busy.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 300_000 } },
  },
});
