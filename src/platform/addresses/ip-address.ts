import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
/** An address and the length of its prefix in bits. */
export type IpNetwork = [IpAddress, number];

const compatibleForm = /^::\d+\./;

/**
 * The parsed address, without a zone; undefined for anything else. Only canonical spellings count: `127.1` and
 * `0177.0.0.1` are not accepted, although ipaddr.js would parse them.
 */
export function parseIp(text: string): IpAddress | undefined {
  const version = isIP(text);
  if (version === 0) return undefined;
  if (version === 4) return ipaddr.IPv4.parse(text);
  const address = text.split("%", 1)[0] ?? text;
  // ipaddr.js would take the IPv4-compatible `::192.0.2.1` for the IPv4-mapped `::ffff:192.0.2.1`.
  return ipaddr.IPv6.parse(compatibleForm.test(address) ? `0${address}` : address);
}

/** Like `parseIp`, but an IPv4-mapped address becomes the IPv4 address that it carries. */
export function parseUnmappedIp(text: string): IpAddress | undefined {
  const address = parseIp(text);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** A network in CIDR notation, or a single address, IPv4 or IPv6; undefined for anything else. */
export function parseNetwork(text: string): IpNetwork | undefined {
  const [start = "", bits, ...rest] = text.split("/");
  const address = start.includes("%") ? undefined : parseIp(start);
  if (address === undefined || rest.length > 0) return undefined;
  const longest = address.kind() === "ipv4" ? 32 : 128;
  if (bits === undefined) return [address, longest];
  return /^\d{1,3}$/.test(bits) && Number(bits) <= longest ? [address, Number(bits)] : undefined;
}

/** Whether the address lies in one of the networks; networks of the other family never contain it. */
export function isInNetworks(address: IpAddress, networks: readonly IpNetwork[]): boolean {
  return networks.some(([start, bits]) => start.kind() === address.kind() && address.match(start, bits));
}
