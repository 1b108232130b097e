/**
 * Repeats a step that handles at most `limit` rows, and answers how many it handled, until one finds fewer: so work of
 * any size is done by statements that hold locks for a short time. Answers the sum.
 */
export async function inBoundedSteps(limit: number, step: (limit: number) => Promise<number>): Promise<number> {
  let sum = 0;
  for (;;) {
    const handled = await step(limit);
    sum += handled;
    if (handled < limit) return sum;
  }
}
