import ipaddr from "ipaddr.js";
import { type IpNetwork, isInNetworks, parseIp, parseNetwork } from "./ip-address.js";

// Networks where no peer may be, because they are not the public internet (RFC 6890 and its registries). Without this
// guard the owner of a name could point the relay at machines behind it.

const forbiddenIpv4 = [
  "0.0.0.0/8", // "this network"
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, cloud metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays, withdrawn
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
];

/** Parts of global unicast, 2000::/3, where no peer may be. Addresses outside 2000::/3 are never allowed. */
const forbiddenIpv6 = [
  "2001::/32", // Teredo
  "2001:2::/48", // benchmarks
  "2001:10::/28", // ORCHID
  "2001:20::/28", // ORCHIDv2
  "2001:db8::/32", // documentation
  "3fff::/20", // documentation
];

const ipv4 = networksOf(forbiddenIpv4);
const ipv6 = networksOf(forbiddenIpv6);
const globalUnicast = networksOf(["2000::/3"]);

/**
 * Whether an address is on the public internet. For a form that carries an IPv4 address (mapped, NAT64, 6to4), the IPv4
 * address decides. False for text that is not an address, and for an address with a zone.
 *
 * The tables above decide, not the ranges of ipaddr.js: a new version of a library must not change where peers may be.
 */
export function isPublicAddress(text: string): boolean {
  const address = text.includes("%") ? undefined : parseIp(text);
  if (address === undefined) return false;
  if (address instanceof ipaddr.IPv4) return !isInNetworks(address, ipv4);
  const carried = carriedIpv4(address.parts);
  if (carried !== undefined) return !isInNetworks(carried, ipv4);
  return isInNetworks(address, globalUnicast) && !isInNetworks(address, ipv6);
}

function carriedIpv4(groups: readonly number[]): ipaddr.IPv4 | undefined {
  const [first, second = 0, third = 0] = groups;
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(":");
  const isMapped = prefix === "0:0:0:0:0:ffff";
  const isNat64 = prefix === "64:ff9b:0:0:0:0";
  if (isMapped || isNat64) return fromGroups(groups[6] ?? 0, groups[7] ?? 0);
  return first === 0x2002 ? fromGroups(second, third) : undefined;
}

function fromGroups(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]);
}

function networksOf(entries: readonly string[]): IpNetwork[] {
  return entries.map((entry) => parseNetwork(entry) as IpNetwork);
}
