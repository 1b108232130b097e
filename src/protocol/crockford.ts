// Crockford's base 32: letters and digits that people do not confuse when they read them aloud or type them.

export const crockfordLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const readAs: Readonly<Record<string, string>> = { I: "1", L: "1", O: "0" };

/** As people type it: letters of either case, O for 0, I and L for 1, spaces and hyphens anywhere. */
export function readCrockford(typed: string): string {
  return typed
    .toUpperCase()
    .replaceAll(/[ -]/g, "")
    .replaceAll(/[ILO]/g, (letter) => readAs[letter] ?? letter);
}
