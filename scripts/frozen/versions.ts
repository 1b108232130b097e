/** Orders versions of three numbers, `1.2.3`. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [one, other].map((version) => version.split(".").map(Number));
  for (const place of [0, 1, 2]) {
    const difference = (first?.[place] ?? 0) - (second?.[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The first number of a version. */
export function majorOf(version: string): number {
  return Number(version.split(".")[0]);
}
