/** For how long something has been so, in seconds; 0 while it is not. */
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
