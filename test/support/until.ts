const patienceMillis = 300_000;
const lookEveryMillis = 50;

/**
 * Checks repeatedly until a condition holds; fails if it does not hold in time even for the busiest machine. For what
 * the relay does in the background.
 */
export async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + patienceMillis;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`it did not come to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMillis));
  }
}
