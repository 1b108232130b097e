/** The relay that serves a document. */
export interface ServingRelay {
  /** The domain of its addresses. */
  domain: string;
  /** Where clients reach it, without a trailing slash. */
  baseUrl: string;
  /** The page of the application that opens links of this relay, or null. */
  application: string | null;
}

/** The relay that the examples and addresses of the documents name. */
const written = "relay.example";

/**
 * Replaces the relay in the examples of a generated document, JSON or YAML, with the relay that serves it. A client
 * generated from the document then has the right address, and an example that is sent unchanged has the right audience.
 */
export function servedDocument(text: string, { domain, baseUrl }: Pick<ServingRelay, "domain" | "baseUrl">): string {
  const { protocol, host, pathname } = new URL(baseUrl);
  const scheme = protocol === "https:" ? "wss" : "ws";
  const path = pathname.replace(/\/$/, "");
  const server = { host, ...(path && { pathname: path }), protocol: scheme };
  return text
    .replace(serverLine, (lines) => serverLines(server, lines))
    .replaceAll(`https://${written}`, () => baseUrl)
    .replaceAll(`wss://${written}`, () => `${scheme}://${host}${path}`)
    .replaceAll(written, () => domain);
}

/** The host and the protocol of the stream's server, which AsyncAPI writes separately. */
const serverLine = /^ *"?host"?: "?relay\.example"?,?\n *"?protocol"?: "?wss"?,?$/m;

/** In the syntax of the lines that they replace: JSON has quotes and commas, YAML neither. */
function serverLines(members: Record<string, string>, replaced: string): string {
  const [indent] = /^ */.exec(replaced) ?? [""];
  const isJson = replaced.includes('"');
  const quote = isJson ? '"' : "";
  const lines = Object.entries(members).map(
    ([name, value]) => `${indent}${quote}${name}${quote}: ${quote}${value}${quote}`,
  );
  return lines.join(isJson ? ",\n" : "\n") + (replaced.endsWith(",") ? "," : "");
}
