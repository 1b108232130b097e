import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { parseDomain } from "../../protocol/address.js";
import { parseNetwork } from "../addresses/ip-address.js";

/** Throws unless the text is an address or a range in CIDR notation. */
export function checkCidr(item: string): void {
  if (parseNetwork(item) === undefined) throw new Error("must be a list of CIDR ranges, like 10.0.0.0/8");
}

/** Throws unless the text is 32 bytes in hex. */
export function checkHex32(value: string): void {
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new Error("must be 64 hexadecimal characters");
}

/** Throws unless the text is an http or https URL with a host only, without a path, query, fragment or credentials. */
export function checkHttpUrl(value: string): void {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const web = url?.protocol === "http:" || url?.protocol === "https:";
  const whole = url?.pathname === "/" && url.search === "" && url.hash === "" && url.username === "";
  if (!web || !whole) throw new Error("must be an http or https URL without a path");
}

/** Throws unless the text is an http or https URL, which may have a name and a password. */
export function checkWebhookUrl(value: string): void {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (!isWeb || !hasReadableCredentials(url)) {
    throw new Error(
      "must be an http or https URL, in whose password %, #, /, ? and @ are written %25, %23, %2F, %3F and %40",
    );
  }
}

function hasReadableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** Throws unless the text is a secret of Standard Webhooks: 24 to 64 bytes in base64, usually after `whsec_`. */
export function checkWebhookSecret(value: string): void {
  const text = value.replace(/^whsec_/, "");
  const { length } = Buffer.from(text, "base64");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || length < 24 || length > 64) {
    throw new Error("must be 24 to 64 bytes in base64, like whsec_…");
  }
}

/** Throws unless the text is the URL of a mail server. */
export function checkSmtpUrl(value: string): void {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isMail = url?.protocol === "smtp:" || url?.protocol === "smtps:";
  if (!isMail || url.hostname === "" || !hasReadableCredentials(url)) {
    throw new Error(
      "must be a URL like smtps://user:password@mail.example, in whose password %, #, /, ? and @ are written %25, %23, …",
    );
  }
}

/** Throws unless the text looks like the address of a mailbox. */
export function checkMailbox(item: string): void {
  if (!/^[^\s@,<>]+@[^\s@,<>]+$/.test(item)) throw new Error("must be a list of addresses, like ops@example.org");
}

/** Throws unless the text names an ACME server: Let's Encrypt, its staging environment, or the URL of a directory. */
export function checkAcmeDirectory(value: string): void {
  if (value === "letsencrypt" || value === "letsencrypt-staging") return;
  if (!URL.canParse(value) || new URL(value).protocol !== "https:") {
    throw new Error("must be letsencrypt, letsencrypt-staging or the https URL of an ACME directory");
  }
}

/** Throws unless the text is the URL of a NATS server. */
export function checkBusUrl(value: string): void {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isBus = url?.protocol === "nats:" || url?.protocol === "tls:";
  const isWhole = url !== undefined && ["", "/"].includes(url.pathname) && url.search === "" && url.hash === "";
  if (!isBus || !isWhole || url.hostname === "") {
    throw new Error("must be a URL without a path, like tls://user:password@nats.example:4222");
  }
}

/** Throws unless the text is a PostgreSQL connection URL. */
export function checkPostgresUrl(value: string): void {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isPostgres = /^postgres(ql)?:\/\//.test(value);
  // A password with one of these characters ends what is read as the host.
  const isCut = url === undefined || url.hash !== "" || /@/.test(url.pathname + url.search);
  if (isPostgres && isCut) {
    throw new Error(
      "must be a postgres:// URL, in whose password #, /, ?, @ and % are written %23, %2F, %3F, %40 and %25",
    );
  }
  if (!isPostgres) throw new Error("must be a postgres:// URL");
}

/** Throws unless the text is a host name or address with an optional port. Others must accept it in addresses. */
export function checkFederationName(value: string): void {
  const name = serverName(value);
  const isAddress = isIP(name.replace(/:\d+$/, "")) !== 0 || name.startsWith("[");
  if (name === "" || (!isAddress && parseDomain(name, { privateAllowed: true }) === undefined)) {
    throw new Error("must be a host name of letters, digits and hyphens with an optional port, like relay.example.org");
  }
}

/**
 * A server's name as it is compared: A-labels, lower case, no trailing dot, the port kept. Empty if the text is not a
 * server name.
 */
export function serverName(value: string): string {
  const [, host, port] = /^([^:@/?#\s[\]]+|\[[0-9a-fA-F:.]+\])(?::(\d{1,5}))?$/.exec(value) ?? [];
  if (host === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65535) return "";
  const ascii = domainToASCII(host).replace(/\.$/, "");
  if (ascii === "" || ascii.length > 253) return "";
  return port === undefined ? ascii : `${ascii}:${port}`;
}

/** A host to listen on, of which an IPv6 address may be in brackets, as in a URL. Throws for anything else. */
export function parseListenHost(value: string): string {
  const host = /^\[(.*)\]$/.exec(value)?.[1] ?? value;
  const isName = !value.startsWith("[") && /^[A-Za-z0-9._-]+$/.test(host);
  if (isName || isIP(host.replace(/%.*$/, "")) === 6) return host;
  throw new Error("must be a host name or an IP address, without a port: like 127.0.0.1, ::1 or 0.0.0.0");
}

/** Whether a server's name, with or without a port, leads to the machine that asks. */
export function isLoopbackName(name: string): boolean {
  const host = name.replace(/:\d+$/, "");
  return /^(.+\.)?localhost$/.test(host) || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."));
}

/** Throws unless the text is the address of a DNS server, with an optional port: `9.9.9.9`, `[2620:fe::fe]:53`. */
export function checkDnsServer(item: string): void {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(item) ?? [];
  const isPort = port === undefined || (Number(port) >= 1 && Number(port) <= 65535);
  const isAddress = isIP(bracketed ?? "") === 6 || isIP(plain ?? "") === 4 || isIP(item) === 6;
  if (!isAddress || !isPort) throw new Error("must be a list of addresses with optional ports, like 9.9.9.9:53");
}
