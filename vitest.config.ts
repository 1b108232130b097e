import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/leaks.ts"],
    pool: "forks",
    maxWorkers: 2,
    // Some tests wait for real sockets, processes and clocks; a busy machine is no reason to fail.
    retry: process.env["CI"] ? 2 : 0,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
