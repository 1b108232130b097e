import fc from "fast-check";
import { expect, test } from "vitest";
import { hostOf, parseAddress, parseDomain } from "../../src/protocol/address.js";
import { spellPrefix } from "../../src/protocol/identifiers.js";

const prefix = "6f9619ff-8b86-4011-b42d-00cf4fc964ff";

test.each([
  ["relay.example.org", "relay.example.org"],
  ["Relay.Example.ORG", "relay.example.org"],
  ["relay.example.org.", "relay.example.org"],
  ["relay.example.org:8443", "relay.example.org:8443"],
  ["relay.example.org.:8443", "relay.example.org:8443"],
  ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["r3---sn.example", "r3---sn.example"],
  ["1.2.3.example", "1.2.3.example"],
])("the domain %s is known as %s", (text, canonical) => {
  expect(parseDomain(text)).toBe(canonical);
});

test.each([
  ["nothing", ""],
  ["an IPv4 address", "192.0.2.1"],
  ["an IPv4 address with a port", "192.0.2.1:443"],
  ["an IPv4 address in hexadecimal", "0x7f.1"],
  ["an IPv4 address as one number", "2130706433"],
  ["an IPv6 address", "[2001:db8::1]"],
  ["an IPv6 address without brackets", "2001:db8::1"],
  ["a U-label", "bücher.example"],
  ["a letter that becomes ASCII in lower case", "\u212aelvin.example"],
  ["an empty label", "a..example"],
  ["two trailing dots", "a.example.."],
  ["a leading dot", ".example"],
  ["an underscore", "a_b.example"],
  ["a leading hyphen", "-a.example"],
  ["a trailing hyphen", "a-.example"],
  ["a label of 64 characters", `${"a".repeat(64)}.example`],
  ["254 characters", `${"a.".repeat(123)}example1`],
  ["port 0", "a.example:0"],
  ["a port that is too high", "a.example:65536"],
  ["a port with a leading zero", "a.example:0443"],
  ["an empty port", "a.example:"],
  ["two ports", "a.example:1:2"],
  ["a path", "a.example/b"],
  ["user information", "user@a.example"],
  ["a space", "a .example"],
  ["a line break", "a.example\n"],
  ["localhost", "localhost:8080"],
  ["a subdomain of localhost", "a.localhost"],
  ["a single label", "relay"],
])("a domain that is %s is refused", (_, text) => {
  expect(parseDomain(text)).toBeUndefined();
});

test("names without a meaning on the internet are accepted where private names are allowed", () => {
  for (const text of ["localhost:8080", "a.localhost:1", "relay"]) {
    expect(parseDomain(text, { privateAllowed: true })).toBe(text);
  }
  expect(parseDomain("127.0.0.1:8080", { privateAllowed: true })).toBeUndefined();
});

test("the server's own domain is accepted whatever it looks like, and no other", () => {
  expect(parseDomain("LOCALHOST:8080", { ownDomain: "localhost:8080" })).toBe("localhost:8080");
  expect(parseDomain("localhost:8081", { ownDomain: "localhost:8080" })).toBeUndefined();
});

test("a domain in canonical form stays as it is", () => {
  const name = fc.tuple(fc.domain(), fc.option(fc.integer({ min: 1, max: 65535 })));
  fc.assert(
    fc.property(name, ([host, port]) => {
      const domain = parseDomain(port === null ? host.toUpperCase() : `${host}.:${port}`);
      if (domain === undefined) return;
      expect(parseDomain(domain)).toBe(domain);
      expect(hostOf(domain)).toBe(host.toLowerCase());
    }),
  );
});

test("an address keeps the spelling of its prefix and loses case", () => {
  fc.assert(
    fc.property(fc.uuid(), fc.boolean(), (uuid, hyphens) => {
      const spelled = hyphens ? uuid : uuid.replaceAll("-", "");
      const address = parseAddress(`${spelled.toUpperCase()}@Relay.Example`);
      expect(address).toEqual({ prefix: uuid, domain: "relay.example", spelling: hyphens ? "uuid" : "hex" });
      if (address !== undefined) expect(spellPrefix(address.prefix, address.spelling)).toBe(spelled);
    }),
  );
});

test.each([
  "",
  prefix,
  `${prefix}@`,
  "@relay.example",
  `${prefix}@a.example@b.example`,
  `x${prefix}@a.example`,
])("%j is no address", (text) => {
  expect(parseAddress(text)).toBeUndefined();
});
