import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Config, loadConfig } from "../../src/composition/config.js";
import { createManualClock, createSystemClock } from "../../src/node/clock.js";
import { createHostsFile } from "../../src/node/hosts-file.js";
import { createResolver, type Resolve } from "../../src/node/resolver.js";
import { type DnsServer, startDnsServer } from "../support/dns-server.js";
import { until } from "../support/until.js";

let dns: DnsServer;
let folder: string;
const clock = createManualClock(createSystemClock());

beforeAll(async () => {
  dns = await startDnsServer();
  folder = await mkdtemp(path.join(tmpdir(), "mls-relay-resolver-"));
  await writeFile(path.join(folder, "hosts"), hosts);
});
beforeEach(() => {
  dns.names.clear();
  dns.asked.length = 0;
  dns.isSilent = (name) => name.startsWith("silent");
});
afterAll(async () => {
  await dns.stop();
  await rm(folder, { recursive: true });
});

const hosts = `
# the machine's own
127.0.0.1   Relay.Lan relay # and so on
::1         relay.lan
not-an-address relay.lan
`;

function resolver(overrides: Partial<Config> = {}): Resolve {
  const config = { ...loadConfig({}), dnsServers: [dns.address], dnsTimeoutSeconds: 60, ...overrides };
  return createResolver({ clock, config, hostsFile: createHostsFile(path.join(folder, "hosts")) }).resolve;
}
const questions = (name: string) => dns.asked.filter((asked) => asked === name).length;
const both = 2; // A and AAAA

it("a name is looked up in DNS for both families, without its trailing dot", async () => {
  dns.names.set("peer.example", "192.0.2.7");
  const resolve = resolver();
  expect(await resolve("peer.example")).toEqual([{ address: "192.0.2.7", family: 4 }]);
  expect(await resolve("Peer.Example.")).toEqual([{ address: "192.0.2.7", family: 4 }]);
  expect(questions("peer.example")).toBe(2 * both);
});

it("names in the hosts file are not looked up in DNS", async () => {
  const found = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  expect(await resolver()("relay.lan")).toEqual(found);
  expect(await resolver()("localhost")).toEqual(found);
  expect(dns.asked).toEqual([]);
});

it("without a hosts file DNS is used", async () => {
  dns.names.set("peer.example", "192.0.2.7");
  const config = { ...loadConfig({}), dnsServers: [dns.address], dnsTimeoutSeconds: 60 };
  const resolve = createResolver({ clock, config, hostsFile: createHostsFile(path.join(folder, "none")) }).resolve;
  expect(await resolve("peer.example")).toHaveLength(1);
});

it("callers at the same time share one lookup", async () => {
  dns.names.set("peer.example", "192.0.2.7");
  const resolve = resolver();
  await Promise.all(Array.from({ length: 20 }, () => resolve("peer.example")));
  expect(questions("peer.example")).toBe(both);
});

it("a failure is remembered for a while", async () => {
  const resolve = resolver({ dnsFailureCacheSeconds: 30 });
  await expect(resolve("new.example")).rejects.toThrow();
  dns.names.set("new.example", "192.0.2.7");
  clock.advance(25);
  await expect(resolve("new.example")).rejects.toThrow();
  expect(questions("new.example")).toBe(both);
  clock.advance(10);
  expect(await resolve("new.example")).toHaveLength(1);
});

it("names whose servers are silent delay no other name", async () => {
  dns.names.set("peer.example", "192.0.2.7");
  const resolve = resolver();
  let silent = 0;
  const all = Array.from({ length: 100 }, (_, i) => resolve(`silent${i}.example`).catch(() => silent++));
  expect(await resolve("peer.example")).toHaveLength(1);
  expect(silent).toBe(0);
  dns.isSilent = () => false;
  dns.speak();
  await Promise.all(all);
  expect(silent).toBe(100);
});

it("names that never resolved leave half of the lookups to those that did, and more are refused at once", async () => {
  dns.names.set("peer.example", "192.0.2.7");
  const resolve = resolver({ dnsConcurrentLookups: 4 });
  await resolve("peer.example");
  const silent = [resolve("silent1.example"), resolve("silent2.example")].map((one) => one.catch(() => "failed"));
  await until(async () => questions("silent2.example") === both, "both are asked for");
  await expect(resolve("other.example")).rejects.toThrow("too many names");
  expect(await resolve("peer.example")).toHaveLength(1);
  dns.isSilent = () => false;
  dns.speak();
  expect(await Promise.all(silent)).toEqual(["failed", "failed"]);
});

it("a lookup without an answer times out", async () => {
  await expect(resolver({ dnsTimeoutSeconds: 1 })("silent.example")).rejects.toThrow("no address");
});

it("stopping the relay cancels lookups", async () => {
  const config = { ...loadConfig({}), dnsServers: [dns.address], dnsTimeoutSeconds: 60 };
  const resolver = createResolver({ clock, config });
  const asking = resolver.resolve("silent.example");
  await until(async () => questions("silent.example") === both, "both are asked for");
  resolver.stop();
  await expect(asking).rejects.toThrow("no address");
  await expect(resolver.resolve("other.example")).rejects.toThrow();
});
