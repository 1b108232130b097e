/** The relay that serves a document. */
export interface ServingRelay {
  /** The domain of its addresses. */
  domain: string;
  /** Where clients reach it, without a slash at its end. */
  baseUrl: string;
}

/** The relay that the examples and addresses of the documents name. */
const written = "relay.example";

/**
 * Puts the relay that serves a generated document, in JSON or YAML, in the place of the one in its examples. A client that is
 * generated from it then has the right address, and an example that is sent unchanged has the right audience.
 */
export function servedDocument(text: string, { domain, baseUrl }: ServingRelay): string {
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

/** The host and the protocol of the stream's server, which AsyncAPI keeps apart. */
const serverLine = /^ *"?host"?: "?relay\.example"?,?\n *"?protocol"?: "?wss"?,?$/m;

/** In the spelling of the lines that these replace: JSON has quotes and commas, YAML neither. */
function serverLines(members: Record<string, string>, replaced: string): string {
  const [indent] = /^ */.exec(replaced) ?? [""];
  const isJson = replaced.includes('"');
  const quote = isJson ? '"' : "";
  const lines = Object.entries(members).map(
    ([name, value]) => `${indent}${quote}${name}${quote}: ${quote}${value}${quote}`,
  );
  return lines.join(isJson ? ",\n" : "\n") + (replaced.endsWith(",") ? "," : "");
}
