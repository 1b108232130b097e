/**
 * Calls a function that the application has passed. What it throws, or its promise rejects with, goes to `onProblem` and nowhere else:
 * a fault in one of them must not end what the client is doing.
 */
export function callBack<A extends unknown[]>(
  callback: ((...given: A) => unknown) | undefined,
  given: A,
  onProblem?: (problem: unknown) => unknown,
): void {
  void waitForCallback(callback, given, onProblem);
}

/** The same, and waits for its promise. Never rejects. */
export async function waitForCallback<A extends unknown[]>(
  callback: ((...given: A) => unknown) | undefined,
  given: A,
  onProblem?: (problem: unknown) => unknown,
): Promise<void> {
  try {
    await callback?.(...given);
  } catch (problem) {
    callBack(onProblem, [problem]);
  }
}
