/** The longest name of an error that is taken from a peer. */
const namePattern = /^[A-Z][A-Z0-9_]{1,63}$/;

/**
 * The `error` of a peer's body, if it looks like a name of the catalogue: any other text could contain terminal
 * escapes.
 */
export function errorNameOf(body: unknown): string | undefined {
  const { error } = (typeof body === "object" && body !== null ? body : {}) as { error?: unknown };
  return typeof error === "string" && namePattern.test(error) ? error : undefined;
}
