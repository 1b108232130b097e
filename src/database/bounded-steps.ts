/**
 * Repeats a step, which handles at most `limit` rows and returns their number, until it handles fewer. So work of any
 * size is done by statements that hold their locks only briefly. Returns the sum.
 */
export async function inBoundedSteps(limit: number, step: (limit: number) => Promise<number>): Promise<number> {
  let sum = 0;
  for (;;) {
    const handled = await step(limit);
    sum += handled;
    if (handled < limit) return sum;
  }
}
