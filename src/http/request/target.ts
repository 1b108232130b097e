import { RelayError } from "../../protocol/errors.js";

/** The parts of a request's target, which may also be a whole URL (RFC 9112, section 3.2.2). */
export function originForm(target: string): { path: string; queryString: string } {
  const [local = ""] = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").split("#", 1);
  const end = local.indexOf("?");
  return end === -1
    ? { path: local, queryString: "" }
    : { path: local.slice(0, end), queryString: local.slice(end + 1) };
}

/**
 * Query parsers pass malformed escapes unchanged, and U+0000 cannot be stored.
 *
 * @throws RelayError INVALID_REQUEST
 */
export function requireWellEncoded(target: string): void {
  const start = target.indexOf("%");
  if (start === -1) return;
  if (!target.includes("%00") && isDecodable(target.slice(start))) return;
  throw new RelayError("INVALID_REQUEST", "the URL is not well encoded", {
    extras: { details: [{ path: "query", message: "must be percent-encoded UTF-8 without U+0000" }] },
  });
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
