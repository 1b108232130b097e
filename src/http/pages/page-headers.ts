/**
 * The headers of every page. Its policy allows only files and data from this server: no inline script, no frame, no form
 * target, and no inline style unless `style` says otherwise.
 */
export function pageHeaders({ style = "'self'" } = {}): Record<string, string> {
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      "script-src 'self'",
      `style-src ${style}`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
}
