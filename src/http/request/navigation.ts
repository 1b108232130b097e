import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether a person's browser asks for a page. Browsers say so over HTTPS; over HTTP they only name XHTML among what
 * they accept, which hardly any program does. HTML beside other types, as in Java's default, does not indicate a
 * browser.
 */
export function isNavigation(headers: IncomingHttpHeaders): boolean {
  const { accept = "", "sec-fetch-mode": mode } = headers;
  if (mode === "navigate") return true;
  if (!accept.includes("text/html")) return false;
  return !accept.includes("*/*") || (mode === undefined && accept.includes("application/xhtml+xml"));
}
