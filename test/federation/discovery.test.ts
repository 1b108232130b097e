import { once } from "node:events";
import { type AddressInfo, connect, createServer, isIP, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DiscoveryClient } from "../../src/federation/peers/discovery.js";
import type { FederationHttp } from "../../src/federation/peers/http-client.js";
import { isPublicAddress } from "../../src/platform/addresses/public-address.js";
import type { Domain } from "../../src/protocol/address.js";
import { createDiscoveryFixture, type DiscoveryFixture, documentOf, impatient } from "./discovery-fixture.js";
import { eventually } from "./outbox-fixture.js";

let fixture: DiscoveryFixture;
let discovery: DiscoveryClient;

beforeAll(async () => {
  fixture = await createDiscoveryFixture();
});
beforeEach(() => {
  fixture.asked.length = 0;
  fixture.resolved.length = 0;
  ({ discovery } = fixture.calls());
  answering(documentOf(fixture.domain));
});
afterAll(() => fixture.stop());

const answering = (body: unknown, headers: Record<string, string> = {}, status = 200) => {
  fixture.answer = (_, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};
const discover = () => discovery.discover(fixture.domain);
const at = (address: string) => async () => [{ address, family: isIP(address) }];

describe("a name is not followed to an address", () => {
  it.each([
    ["of loopback", "127.0.0.1"],
    ["elsewhere in the loopback network", "127.255.255.254"],
    ["of this network", "0.0.0.0"],
    ["of 0/8", "0.1.2.3"],
    ["of the private 10/8", "10.0.0.1"],
    ["of the private 172.16/12", "172.31.255.255"],
    ["of the private 192.168/16", "192.168.1.1"],
    ["of link-local, where clouds keep their metadata", "169.254.169.254"],
    ["of carrier-grade NAT", "100.64.0.1"],
    ["at the end of carrier-grade NAT", "100.127.255.255"],
    ["of protocol assignments", "192.0.0.8"],
    ["of documentation", "192.0.2.1"],
    ["of documentation, second", "198.51.100.1"],
    ["of documentation, third", "203.0.113.1"],
    ["of benchmarks", "198.18.0.1"],
    ["of 6to4 relays", "192.88.99.1"],
    ["of multicast", "224.0.0.1"],
    ["at the end of multicast", "239.255.255.255"],
    ["that is reserved", "240.0.0.1"],
    ["of broadcast", "255.255.255.255"],
    ["of loopback in IPv6", "::1"],
    ["that is unspecified", "::"],
    ["of link-local in IPv6", "fe80::1"],
    ["of a unique local network", "fd00::1"],
    ["of a unique local network, reserved half", "fc00::1"],
    ["of the withdrawn site-local network", "fec0::1"],
    ["of multicast in IPv6", "ff02::1"],
    ["of documentation in IPv6", "2001:db8::1"],
    ["of the second documentation in IPv6", "3fff::1"],
    ["of Teredo", "2001::1"],
    ["of benchmarks in IPv6", "2001:2::1"],
    ["of ORCHID", "2001:20::1"],
    ["of the discard network", "100::1"],
    ["mapped to IPv4 loopback", "::ffff:127.0.0.1"],
    ["mapped to IPv4 loopback, in hex", "::ffff:7f00:1"],
    ["mapped to a private one", "::ffff:10.0.0.1"],
    ["compatible with IPv4 loopback", "::127.0.0.1"],
    ["translated to IPv4 (SIIT)", "::ffff:0:127.0.0.1"],
    ["by NAT64 to loopback", "64:ff9b::127.0.0.1"],
    ["by NAT64 to the metadata", "64:ff9b::a9fe:a9fe"],
    ["by NAT64 of a local prefix", "64:ff9b:1::1"],
    ["by 6to4 to loopback", "2002:7f00:1::1"],
    ["by 6to4 to a private one", "2002:c0a8:101::1"],
    ["with a zone", "fe80::1%eth0"],
  ])("%s: %s", async (_, address) => {
    const calls = fixture.calls({ federationAllowPrivate: false }, at(address));
    const finding = calls.discovery.discover("peer.example" as Domain);
    await expect(finding).rejects.toMatchObject({ name: "PeerError", problem: "address" });
    expect(fixture.resolved).toEqual([address]);
  });

  it("of which one of several is forbidden", async () => {
    const both = async () => [...(await at("9.9.9.9")()), ...(await at("10.0.0.1")())];
    const calls = fixture.calls({ federationAllowPrivate: false }, both);
    await expect(calls.discovery.discover("peer.example" as Domain)).rejects.toMatchObject({ problem: "address" });
  });

  it.each([
    "9.9.9.9",
    "100.63.255.255",
    "172.32.0.1",
    "2620:fe::fe",
    "::ffff:9.9.9.9",
    "64:ff9b::909:909",
    "2002:909:909::1",
  ])("but is to a public one: %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("a document does not lead to a host that is spelled", () => {
  it.each([
    ["as an address", "127.0.0.1"],
    ["as a decimal number", "2130706433"],
    ["in octal", "0177.0.0.1"],
    ["in hex", "0x7f.0.0.1"],
    ["as one hex number", "0x7f000001"],
    ["in two parts", "127.1"],
    ["in full-width digits", "１２７.0.0.1"],
    ["as IPv6", "[::1]"],
    ["as a mapped address", "[::ffff:127.0.0.1]"],
    ["as an address with a dot at its end", "127.0.0.1."],
  ])("%s: %s", async (_, host) => {
    const { http } = fixture.calls();
    const port = fixture.domain.split(":")[1];
    const sending = http.send({ url: `https://${host}:${port}/`, peer: fixture.domain, method: "GET" });
    await expect(sending).rejects.toMatchObject({ name: "PeerError", problem: "address" });
    expect([fixture.resolved, fixture.asked]).toEqual([[], []]);
  });

  it.each([
    ["http", "http://peer.example/"],
    ["another scheme", "file:///etc/passwd"],
    ["credentials", "https://user:secret@peer.example/"],
    ["a port where no peer is", "https://peer.example:22/"],
    ["nothing", ""],
  ])("with %s", async (_, url) => {
    const { http } = fixture.calls({ federationAllowAnyPort: false });
    const sending = http.send({ url, peer: fixture.domain, method: "GET" });
    await expect(sending).rejects.toMatchObject({ problem: "address" });
    expect(fixture.resolved).toEqual([]);
  });
});

describe("the address that was checked is the one that is called", () => {
  it("whatever the name resolves to a moment later", async () => {
    let times = 0;
    const changing = async () => (times++ === 0 ? at("127.0.0.1")() : at("192.0.2.1")());
    const calls = fixture.calls({}, changing);
    expect((await calls.discovery.discover(fixture.domain)).server).toBe(fixture.domain);
    expect(fixture.resolved).toEqual(["127.0.0.1"]);
  });
});

describe("a name that resolves too late", () => {
  it("leads nowhere: nothing is opened for a caller that has gone on", async () => {
    const taken: Socket[] = [];
    const resetting = createServer((socket) => taken.push(socket.resetAndDestroy())).listen(0, "127.0.0.1");
    await once(resetting, "listening");
    let resolve: () => void = () => undefined;
    const asked = new Promise<void>((go) => {
      resolve = go;
    });
    const { http } = fixture.calls(impatient, () => asked.then(at("127.0.0.1")));
    const url = `https://localhost:${(resetting.address() as AddressInfo).port}/`;
    const sending = http.send({ url, peer: fixture.domain, method: "GET" });
    await expect(sending).rejects.toMatchObject({ problem: "timeout" });
    resolve();
    // What would have been opened by now has been reset by the time that another connection was.
    const other = connect((resetting.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
    await new Promise((closed) => other.once("close", closed));
    expect(taken).toHaveLength(1);
    resetting.close();
  });
});

describe("a connection is kept between requests", () => {
  const send = (http: FederationHttp) =>
    http.send({ url: `https://${fixture.domain}/`, peer: fixture.domain, method: "GET" });
  const taken = async (requesting: () => Promise<unknown>): Promise<number> => {
    const before = fixture.connections.taken;
    await requesting();
    return fixture.connections.taken - before;
  };
  const allClosed = () => eventually(() => fixture.connections.open.size === 0);

  it("until it is too old", async () => {
    const { http } = fixture.calls({ federationConnectionMaxAgeSeconds: 60 });
    expect(await taken(() => send(http))).toBe(1);
    fixture.clock.advance(50);
    expect(await taken(() => send(http))).toBe(0);
    fixture.clock.advance(20);
    expect(await taken(() => send(http))).toBe(1);
  });

  it("and is closed without a request once it is too old", async () => {
    const { http } = fixture.calls({ federationConnectionMaxAgeSeconds: 60 });
    await send(http);
    fixture.clock.advance(70);
    await allClosed();
  });

  it("until the peer is no longer dealt with", async () => {
    const { http } = fixture.calls();
    await send(http);
    fixture.admits = false;
    await allClosed();
    fixture.admits = true;
    expect(await taken(() => send(http))).toBe(1);
  });

  it("until its certificate would not pass any more, which cuts a request as well", async () => {
    const { http } = fixture.calls();
    await send(http);
    fixture.answer = () => undefined;
    const waiting = expect(send(http)).rejects.toMatchObject({ problem: "certificate" });
    await eventually(() => fixture.asked.length === 2);
    await fixture.revoke(true);
    await waiting;
    await allClosed();
    await expect(send(http)).rejects.toMatchObject({ problem: "certificate" });
    expect(fixture.asked).toHaveLength(2);
    await fixture.revoke(false);
  });

  it("while the lists change and its certificate would still pass", async () => {
    const { http } = fixture.calls();
    await send(http);
    await fixture.revoke(false);
    expect(await taken(() => send(http))).toBe(0);
  });
});

describe("a document is of no use", () => {
  it.each([
    ["that names another server", { server: "other.example" }],
    ["that names the server without its port", { server: "localhost" }],
    ["that names a server in no text", { server: 7 }],
    ["whose federation_url is no text", { federation_url: 7 }],
    ["whose federation_url is no https", { federation_url: "http://localhost" }],
    ["that speaks no version spoken here", { versions: { federation: ["v2"] } }],
    ["that speaks no version", { versions: { federation: [] } }],
  ])("%s", async (_, changes) => {
    answering(documentOf(fixture.domain, changes));
    await expect(discover()).rejects.toMatchObject({ name: "PeerError" });
  });

  it.each([
    ["that is no JSON", "{]"],
    ["that is a list", "[]"],
    ["that is null", "null"],
    ["that is empty", ""],
  ])("%s", async (_, text) => {
    fixture.answer = (_request, response) => void response.end(text);
    await expect(discover()).rejects.toMatchObject({ problem: "discovery" });
  });

  it("that comes with another status", async () => {
    answering(documentOf(fixture.domain), {}, 203);
    await expect(discover()).rejects.toMatchObject({ problem: "discovery" });
  });

  it("where the server redirects, even to itself", async () => {
    answering({}, { location: `https://${fixture.domain}/elsewhere` }, 302);
    await expect(discover()).rejects.toMatchObject({ problem: "discovery" });
    expect(fixture.asked).toEqual(["/.well-known/svc"]);
  });

  it("that is larger than 64 KiB, and is not read to its end", async () => {
    fixture.answer = (_, response) => {
      const more = (): void => {
        if (response.destroyed) return;
        response.write("x".repeat(65_536));
        setImmediate(more);
      };
      more();
    };
    await expect(discover()).rejects.toMatchObject({ problem: "answer" });
  });

  it("that does not come in time", async () => {
    fixture.answer = () => undefined;
    const calls = fixture.calls(impatient);
    await expect(calls.discovery.discover(fixture.domain)).rejects.toMatchObject({ problem: "timeout" });
  });
});

describe("a document is kept", () => {
  const asksAgainAfter = async (seconds: number): Promise<boolean> => {
    const before = fixture.asked.length;
    fixture.clock.advance(seconds);
    await discover();
    return fixture.asked.length > before;
  };

  it.each([
    ["for five minutes without headers", {}, 300],
    ["for five minutes where the headers want less", { "cache-control": "max-age=10" }, 300],
    ["for five minutes where they forbid it", { "cache-control": "no-store" }, 300],
    ["as long as the headers say", { "cache-control": "public, max-age=3600" }, 3600],
    ["less the age it has", { "cache-control": "max-age=3600", age: "600" }, 3000],
    ["for a day where they want more", { "cache-control": "max-age=9999999" }, 86_400],
  ])("%s", async (_, headers, seconds) => {
    answering(documentOf(fixture.domain), headers as Record<string, string>);
    await discover();
    expect(await asksAgainAfter(seconds - 2)).toBe(false);
    expect(await asksAgainAfter(3)).toBe(true);
  });

  it("and asked for once by all who want it at once", async () => {
    await Promise.all(Array.from({ length: 20 }, discover));
    expect(fixture.asked).toHaveLength(1);
  });

  it("until it is forgotten", async () => {
    await discover();
    discovery.forget(fixture.domain);
    expect(await asksAgainAfter(0)).toBe(true);
  });
});

describe("a failure is remembered for a minute", () => {
  it("and then asked about again", async () => {
    answering({}, {}, 500);
    await expect(discover()).rejects.toThrow();
    answering(documentOf(fixture.domain));
    fixture.clock.advance(57);
    await expect(discover()).rejects.toThrow();
    expect(fixture.asked).toHaveLength(1);
    fixture.clock.advance(4);
    expect((await discover()).server).toBe(fixture.domain);
  });

  it("but not by who has a backoff of its own", async () => {
    answering({}, {}, 500);
    await expect(discover()).rejects.toThrow();
    answering(documentOf(fixture.domain));
    expect((await discovery.discover(fixture.domain, { afterFailure: "ask" })).server).toBe(fixture.domain);
    expect((await discover()).server).toBe(fixture.domain);
    expect(fixture.asked).toHaveLength(2);
  });
});

describe("a server whose certificate is revoked", () => {
  it("is not spoken to", async () => {
    await fixture.revoke(true);
    await expect(discover()).rejects.toMatchObject({ problem: "certificate" });
    expect(fixture.asked).toEqual([]);
    await fixture.revoke(false);
    discovery.forget(fixture.domain);
    expect((await discover()).server).toBe(fixture.domain);
  });
});
