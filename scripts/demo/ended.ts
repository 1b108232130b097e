/** Resolves when Ctrl-C, a terminal that closes, or somebody else's signal asks the command to end. */
export function whenAskedToEnd(): Promise<unknown> {
  return new Promise((resolve) => {
    // A second Ctrl-C ends at once.
    process.once("SIGINT", resolve);
    // npm passes these on, so each may come twice.
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, resolve);
  });
}
