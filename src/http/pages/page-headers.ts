/**
 * The headers of every page. Its policy allows only files and data from this server: no inline script, no frame, no form
 * target, and no inline style unless `style` says otherwise. `connect` and `img` are sources beside this server.
 */
export function pageHeaders({
  style = "'self'",
  img = "data:",
  connect = "",
  more = [] as string[],
} = {}): Record<string, string> {
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      "script-src 'self'",
      `style-src ${style}`,
      `img-src 'self' ${img}`,
      `connect-src 'self' ${connect}`.trim(),
      ...more,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
}
