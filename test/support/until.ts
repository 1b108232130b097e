const patienceMillis = 90_000;
const lookEveryMillis = 50;

/** Looks until something holds; fails when it has not come on the busiest machine. For what the relay does in the background. */
export async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + patienceMillis;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`it did not come to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMillis));
  }
}
