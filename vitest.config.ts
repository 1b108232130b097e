import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/leaks.ts", "test/support/show-faults.ts", "test/support/statements.ts"],
    pool: "forks",
    // The files of a worker share the modules they load and the validators compiled of the contract: a third of the time.
    isolate: false,
    maxWorkers: 2,
    // Nothing is asserted by these: they end what hangs, on a machine however busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 90_000 } },
  },
});
