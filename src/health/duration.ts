/** How long a condition has held, in seconds; 0 while it does not hold. */
interface Duration {
  note(isSo: boolean, now: number): number;
}

export function createDuration(): Duration {
  let since: number | undefined;
  return {
    note(isSo, now) {
      since = isSo ? (since ?? now) : undefined;
      return since === undefined ? 0 : Math.max(0, now - since);
    },
  };
}
