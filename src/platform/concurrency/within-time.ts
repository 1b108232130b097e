/**
 * Resolves with the promised value, or with what `late` returns or throws if the promise is not settled in time. A
 * later result is ignored.
 */
export async function withinTime<T, L>(promised: Promise<T>, millis: number, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, millis);
  }).then(late);
  return Promise.race([promised, tooLate]).finally(() => clearTimeout(timer));
}
