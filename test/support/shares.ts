import { dayMillis } from "../../src/protocol/units.js";

/** The day of which `npm test` runs the shares, or all of them. */
export const drawn = process.env["SHARES"] ?? String(Math.floor(Date.now() / dayMillis));

/**
 * Of cases that take long and differ little, `npm test` takes a share, another one each day. `npm run lab -- thorough`, which the
 * release workflow runs, takes all: SHARES=all. A number in its place takes the share of that day.
 */
export function shareOf<T>(cases: readonly T[], shares: number): T[] {
  return drawn === "all" ? [...cases] : cases.filter((_, at) => at % shares === Number(drawn) % shares);
}
