import { type Prefix, type PrefixSpelling, parsePrefix, spellingOfPrefix } from "./identifiers.js";

declare const brand: unique symbol;
/** A server's name: a lower-case host name of A-labels without trailing dot, with an optional port. */
export type Domain = string & { readonly [brand]: "Domain" };

/** A delivery address in its parts; `spelling` is how the prefix was written. */
interface Address {
  prefix: Prefix;
  domain: Domain;
  spelling: PrefixSpelling;
}

/** Which names are accepted beside public host names. */
export interface DomainRules {
  /** The server's own domain: always accepted, whatever it looks like. */
  ownDomain?: string;
  /** Accept names that mean nothing on the public internet: localhost, its subdomains, and names of one label. */
  privateAllowed?: boolean;
}

const maxHostCharacters = 253;
const allowedCharacters = /^[A-Za-z0-9.:-]+$/;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const numericLabel = /^(?:[0-9]+|0x[0-9a-f]*)$/;
const port = /^[1-9][0-9]{0,4}$/;

/**
 * A domain in canonical form, or `undefined` if it is malformed. Case and one trailing dot are dropped; U-labels and IP
 * literals, also the odd ones such as `0x7f.1`, are refused. Whether an A-label decodes to a name is left to the resolver:
 * platforms differ about it, and servers must not.
 */
export function parseDomain(text: string, rules: DomainRules = {}): Domain | undefined {
  // Tested as it came: the Kelvin sign, for one, would be an innocent k in lower case.
  if (!allowedCharacters.test(text)) return undefined;
  const { host, portText } = splitPort(text.toLowerCase());
  if (portText !== undefined && !isPort(portText)) return undefined;
  const domain = portText === undefined ? host : `${host}:${portText}`;
  if (rules.ownDomain !== undefined && domain === rules.ownDomain.toLowerCase()) return domain as Domain;
  if (!isHostName(host)) return undefined;
  return isPrivateName(host) && rules.privateAllowed !== true ? undefined : (domain as Domain);
}

/** The form in which domains are compared: lower case, without the dot at the end of the host. */
export function comparedDomain(text: string): string {
  const { host, portText } = splitPort(text.toLowerCase());
  return portText === undefined ? host : `${host}:${portText}`;
}

/** The host name of a domain, without its port. */
export function hostOf(domain: Domain): string {
  return splitPort(domain).host;
}

/** An address `<prefix>@<domain>`, or `undefined` if either part is malformed. */
export function parseAddress(text: string, rules: DomainRules = {}): Address | undefined {
  const at = text.indexOf("@");
  if (at < 0) return undefined;
  const prefix = parsePrefix(text.slice(0, at));
  const domain = parseDomain(text.slice(at + 1), rules);
  if (prefix === undefined || domain === undefined) return undefined;
  return { prefix, domain, spelling: spellingOfPrefix(text.slice(0, at)) };
}

function splitPort(text: string): { host: string; portText: string | undefined } {
  const colon = text.lastIndexOf(":");
  const host = colon < 0 ? text : text.slice(0, colon);
  return {
    host: host.endsWith(".") ? host.slice(0, -1) : host,
    portText: colon < 0 ? undefined : text.slice(colon + 1),
  };
}

function isPort(text: string): boolean {
  return port.test(text) && Number(text) <= 65535;
}

function isHostName(host: string): boolean {
  if (host.length === 0 || host.length > maxHostCharacters) return false;
  const labels = host.split(".");
  if (!labels.every((part) => label.test(part))) return false;
  return !numericLabel.test(labels.at(-1) ?? "");
}

function isPrivateName(host: string): boolean {
  return !host.includes(".") || host.endsWith(".localhost");
}
