import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../../src/platform/logger.js";
import { startRelay } from "../support/relay.js";
import { startWatched, type Watched } from "./fixture.js";

const hour = 3_600;
const lines: string[] = [];
let watched: Watched;

beforeAll(async () => {
  const logger = createLogger({ level: "warn", destination: { write: (line: string) => void lines.push(line) } });
  watched = await startWatched({ metricsPort: 0 }, { logger });
});
afterAll(() => watched.stop());

const forwarded = (headers: Record<string, string>) => fetch(`${watched.relay.url}/healthz`, { headers });
const warnings = () => lines.filter((line) => line.includes("TRUSTED_PROXIES"));

describe("a proxy that is not trusted", () => {
  it("is not seen in one client that sends the header of a proxy", async () => {
    for (let i = 0; i < 3; i++) await forwarded({ "X-Forwarded-For": "203.0.113.1" });
    await watched.looked();
    expect(await watched.alert("untrusted_proxy")).toBeUndefined();
    expect(warnings()).toEqual([]);
  });

  it("is logged once and raises an alert when it forwards for two clients, until it has not for an hour", async () => {
    await forwarded({ "X-Forwarded-For": "203.0.113.2" });
    const alert = await watched.raised("untrusted_proxy");
    expect(alert).toMatchObject({ severity: "warning", component: "server" });
    await forwarded({ "X-Forwarded-For": "203.0.113.3" });
    expect(warnings()).toHaveLength(1);
    expect(JSON.parse(warnings()[0] ?? "")).toMatchObject({
      level: "warn",
      proxy: "127.0.0.1",
      header: "x-forwarded-for",
    });
    expect(warnings()[0]).not.toContain("203.0.113");
    await watched.advance(hour);
    await watched.cleared("untrusted_proxy");
  });

  it("is seen by the header Forwarded as well", async () => {
    await forwarded({ Forwarded: "for=203.0.113.9" });
    await watched.raised("untrusted_proxy");
    expect(JSON.parse(warnings().at(-1) ?? "")).toMatchObject({ header: "forwarded" });
  });
});

describe("a trusted proxy whose entries have no address", () => {
  it("is logged once, with its own address only", async () => {
    const logged: string[] = [];
    const logger = createLogger({ level: "warn", destination: { write: (line: string) => void logged.push(line) } });
    const relay = await startRelay({ trustedProxies: ["127.0.0.1/32"] }, { logger });
    try {
      for (const entry of ["203.0.113.9:40000", "unknown, 203.0.113.9"]) {
        await fetch(`${relay.url}/healthz`, { headers: { "X-Forwarded-For": entry } });
      }
      expect(logged.filter((line) => line.includes("X-Forwarded-For"))).toEqual([]);
      for (const entry of ["client.example", "_hidden"]) {
        await fetch(`${relay.url}/healthz`, { headers: { "X-Forwarded-For": entry } });
      }
      const warned = logged.filter((line) => line.includes("X-Forwarded-For"));
      expect(warned.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ proxy: "127.0.0.1" })]);
      expect(warned[0]).not.toMatch(/client\.example|_hidden/);
    } finally {
      await relay.stop();
    }
  });
});
