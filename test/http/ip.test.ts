import { describe, expect, test } from "vitest";
import { clientIp, isUnreadableChain, parseTrustedProxies } from "../../src/platform/addresses/client-ip.js";
import { networkKey } from "../../src/platform/addresses/network-key.js";

const nobody = parseTrustedProxies([]);
const proxies = parseTrustedProxies(["10.0.0.0/8", "192.0.2.7", "2001:db8:ffff::/48"]);

describe("the client's address", () => {
  test("is the socket's peer while no proxy is trusted, whatever X-Forwarded-For claims", () => {
    expect(clientIp("203.0.113.5", "1.2.3.4", nobody)).toBe("203.0.113.5");
  });

  test("is the rightmost forwarded entry that is not a trusted proxy", () => {
    expect(clientIp("10.1.1.1", "6.6.6.6, 198.51.100.9, 10.2.2.2", proxies)).toBe("198.51.100.9");
    expect(clientIp("192.0.2.7", "198.51.100.9", proxies)).toBe("198.51.100.9");
    expect(clientIp("2001:db8:ffff::1", "2001:db8:1::5", proxies)).toBe("2001:db8:1::5");
  });

  test("is the socket's peer when the peer is not trusted", () => {
    expect(clientIp("192.0.2.8", "198.51.100.9", proxies)).toBe("192.0.2.8");
  });

  test("is the leftmost proxy when all entries are trusted", () => {
    expect(clientIp("10.1.1.1", "10.3.3.3, 10.2.2.2", proxies)).toBe("10.3.3.3");
    expect(clientIp("10.1.1.1", undefined, proxies)).toBe("10.1.1.1");
  });

  test("is never taken from beyond an entry that is no address", () => {
    expect(clientIp("10.1.1.1", "1.2.3.4, unknown, 10.2.2.2", proxies)).toBe("10.2.2.2");
    expect(clientIp("10.1.1.1", "", proxies)).toBe("10.1.1.1");
  });

  test("is read from every form in which proxies write an entry", () => {
    const written = {
      "198.51.100.9": [
        "198.51.100.9:40001",
        '"198.51.100.9:40001"',
        " 198.51.100.9 ,",
        ",198.51.100.9, ,",
        "[::ffff:198.51.100.9]:80",
        "for=198.51.100.9",
        'For="198.51.100.9:40001";proto=https',
      ],
      "2001:db8:1::5": [
        "[2001:db8:1::5]:40001",
        "[2001:db8:1::5]",
        '"[2001:db8:1::5]:40001"',
        '"[2001:db8:1::5]"',
        "[2001:DB8:1::5]:1",
        'for="[2001:db8:1::5]:40001"',
        "2001:db8:1::5%eth0",
        "[2001:db8:1::5%eth0]:40001",
        '"[2001:db8:1::5%25eth0]:40001"',
      ],
    };
    for (const [address, entries] of Object.entries(written)) {
      for (const entry of entries) {
        expect([entry, clientIp("10.1.1.1", `6.6.6.6, ${entry}`, proxies)]).toEqual([entry, address]);
        expect([entry, clientIp("10.1.1.1", `${entry}, 10.2.2.2:443`, proxies)]).toEqual([entry, address]);
        expect([entry, isUnreadableChain("10.1.1.1", entry, proxies)]).toEqual([entry, false]);
      }
    }
  });

  test("is the nearest trusted hop if an entry has no address", () => {
    const faulty = [
      "unknown",
      "_hidden",
      "198.51.100.9:",
      "198.51.100.9:port",
      "[2001:db8::1",
      "[198.51.100]:4",
      '"',
      "[]",
      "a.example:80",
      "for=unknown",
      'for="_hidden"',
    ];
    for (const entry of faulty) {
      expect([entry, clientIp("10.1.1.1", `1.2.3.4, ${entry}`, proxies)]).toEqual([entry, "10.1.1.1"]);
      expect([entry, isUnreadableChain("10.1.1.1", `1.2.3.4, ${entry}`, proxies)]).toEqual([entry, true]);
    }
    expect(isUnreadableChain("10.1.1.1", "unknown, 198.51.100.9", proxies)).toBe(false);
    expect(isUnreadableChain("192.0.2.8", "unknown", proxies)).toBe(false);
  });

  test("is IPv4 where it is IPv4-mapped, also for the trust in a proxy", () => {
    expect(clientIp("::ffff:203.0.113.5", undefined, nobody)).toBe("203.0.113.5");
    expect(clientIp("::ffff:10.1.1.1", "::FFFF:cb00:7105", proxies)).toBe("203.0.113.5");
  });
});

describe("the network key", () => {
  test("is an IPv4 address as it is", () => {
    expect(networkKey("203.0.113.5")).toBe("203.0.113.5");
    expect(networkKey("::ffff:203.0.113.5")).toBe("203.0.113.5");
  });

  test("is the /64 of an IPv6 address, however that is written", () => {
    const spellings = [
      "2001:db8:0:1::1",
      "2001:DB8::1:ffff:1:2:3",
      "2001:0db8:0000:0001:1:2:3:4",
      "2001:db8:0:1::%eth0",
    ];
    for (const spelling of spellings) expect(networkKey(spelling)).toBe("2001:db8:0:1::/64");
    expect(networkKey("::1")).toBe("0:0:0:0::/64");
    expect(networkKey("64:ff9b::192.0.2.1")).toBe("64:ff9b:0:0::/64");
  });
});

test("a list of trusted proxies with an entry that is no network is refused by name", () => {
  for (const entry of ["10.0.0.0/33", "10.0.0/8", "proxy", "::/129", "10.0.0.0/8/8", "10.0.0.0/", ""]) {
    expect(() => parseTrustedProxies([entry])).toThrow(`"${entry}"`);
  }
});
