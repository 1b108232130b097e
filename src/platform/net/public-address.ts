import { BlockList, isIP } from "node:net";
import { groupsOf } from "./client-ip.js";

// Where no peer may be: what names reach besides the public internet (RFC 6890 and the registries it began), so that
// nobody can point the relay at machines behind it by what a name resolves to.

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

/** Parts of global unicast, 2000::/3, that are no place for a peer. What lies outside of it never is one. */
const forbiddenIpv6 = [
  "2001::/32", // Teredo
  "2001:2::/48", // benchmarks
  "2001:10::/28", // ORCHID
  "2001:20::/28", // ORCHIDv2
  "2001:db8::/32", // documentation
  "3fff::/20", // documentation
];

const ipv4 = listOf(forbiddenIpv4, "ipv4");
const ipv6 = listOf(forbiddenIpv6, "ipv6");
const globalUnicast = listOf(["2000::/3"], "ipv6");

/**
 * Whether an address is on the public internet. A form that carries an IPv4 address (mapped, NAT64, 6to4) is judged by
 * the one it carries. False for what is no address.
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !ipv4.check(address, "ipv4");
  if (version !== 6 || address.includes("%")) return false;
  const carried = carriedIpv4(groupsOf(address));
  if (carried !== undefined) return !ipv4.check(carried, "ipv4");
  return globalUnicast.check(address, "ipv6") && !ipv6.check(address, "ipv6");
}

function carriedIpv4(groups: readonly number[]): string | undefined {
  const [first = 0, second = 0, third = 0] = groups;
  const start = groups.slice(0, 6).map((group) => group.toString(16));
  const isMapped = start.join(":") === "0:0:0:0:0:ffff";
  const isNat64 = start.join(":") === "64:ff9b:0:0:0:0";
  if (isMapped || isNat64) return dotted(groups[6] ?? 0, groups[7] ?? 0);
  return first === 0x2002 ? dotted(second, third) : undefined;
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function listOf(networks: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
