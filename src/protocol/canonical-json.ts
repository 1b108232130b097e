import canonicalize from "canonicalize";

/**
 * The canonical text of a JSON value by RFC 8785 (JCS). Throws a TypeError for what JSON cannot say: undefined at the top,
 * NaN, infinities, lone surrogates, cycles.
 */
export function canonicalJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = canonicalize(value);
  } catch (cause) {
    throw new TypeError("The value has no canonical JSON form", { cause });
  }
  if (text === undefined) throw new TypeError("The value has no canonical JSON form");
  return text;
}
