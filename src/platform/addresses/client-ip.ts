import ipaddr from "ipaddr.js";
import { type IpNetwork, isInNetworks, parseIp, parseNetwork, parseUnmappedIp } from "./ip-address.js";

/** The proxies whose X-Forwarded-For header is believed. */
export type TrustedProxies = readonly IpNetwork[];

/**
 * Reads a list of networks in CIDR notation or single addresses, IPv4 or IPv6.
 *
 * @throws RangeError naming the first invalid entry.
 */
export function parseTrustedProxies(entries: readonly string[]): TrustedProxies {
  return entries.map((entry) => {
    const network = parseNetwork(entry.trim());
    if (network === undefined) {
      throw new RangeError(`"${entry}" is neither an IP address nor a network in CIDR notation`);
    }
    return network;
  });
}

/**
 * The address a request comes from: the socket's peer, or, if the peer is a trusted proxy, the rightmost entry of
 * X-Forwarded-For that is not a trusted proxy. The search ends at an entry that has no address, because its author
 * may have invented the entries to its left; the nearest trusted hop is then all that is known. Mapped IPv4 is
 * returned as IPv4.
 */
export function clientIp(socketPeer: string, forwardedFor: string | undefined, trusted: TrustedProxies): string {
  return findClient(socketPeer, forwardedFor, trusted).ip;
}

/** Whether the search for the client's address ended at an entry that has no address. */
export function isUnreadableChain(socketPeer: string, forwardedFor: string, trusted: TrustedProxies): boolean {
  return findClient(socketPeer, forwardedFor, trusted).isUnreadable;
}

function findClient(
  socketPeer: string,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): { ip: string; isUnreadable: boolean } {
  let nearest = unmapped(socketPeer);
  if (forwardedFor === undefined || !contains(trusted, nearest)) return { ip: nearest, isUnreadable: false };
  for (const entry of forwardedFor.split(",").reverse()) {
    const text = entry.trim();
    // A list may have empty elements (RFC 9110, section 5.6.1.2).
    if (text === "") continue;
    const address = unmapped(withoutPort(text));
    if (parseIp(address) === undefined) return { ip: nearest, isUnreadable: true };
    nearest = address;
    if (!contains(trusted, address)) break;
  }
  return { ip: nearest, isUnreadable: false };
}

const forwardedElement = /^for=([^;]*)(?:;.*)?$/i;
const quoted = /^"(.*)"$/;
const bracketedIpv6 = /^\[([^\]]*)\](?::\d{1,5})?$/;
const ipv4WithPort = /^([\d.]+):\d{1,5}$/;

/** Some proxies append the port of the client, brackets around IPv6, quotes, or a whole element of `Forwarded` (RFC 7239). */
function withoutPort(entry: string): string {
  const element = forwardedElement.exec(entry)?.[1] ?? entry;
  const node = quoted.exec(element)?.[1] ?? element;
  return bracketedIpv6.exec(node)?.[1] ?? ipv4WithPort.exec(node)?.[1] ?? node;
}

/** Whether a connection comes from a trusted proxy. */
export function isTrustedProxy(socketPeer: string, trusted: TrustedProxies): boolean {
  return contains(trusted, unmapped(socketPeer));
}

function contains(networks: TrustedProxies, ip: string): boolean {
  if (networks.length === 0) return false;
  const address = parseIp(ip);
  return address !== undefined && isInNetworks(address, networks);
}

/** Drops a zone index, and writes an IPv4-mapped address (dotted or in hex) as IPv4. */
function unmapped(ip: string): string {
  const address = ip.split("%", 1)[0] ?? ip;
  if (!address.includes(":")) return address;
  const parsed = parseUnmappedIp(address);
  return parsed instanceof ipaddr.IPv4 ? parsed.toString() : address.toLowerCase();
}
