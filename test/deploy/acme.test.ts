import type { X509Certificate } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { constantsEnvironment, loadConfig } from "../../src/composition/config.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { type DnsServer, startDnsServer } from "../support/dns-server.js";
import { isMissing } from "../support/programs.js";
import { type Pebble, startPebble } from "./pebble.js";

const timeoutMillis = 240_000;
const patience = { interval: 250 };
const name = "relay.acme.test";
/** So short that the test sees a renewal. */
const lifetimeSeconds = 45;

describe("ACME_DIRECTORY", () => {
  test("needs a DOMAIN, and contradicts TLS_CERT_FILE", () => {
    const acme = { ACME_DIRECTORY: "letsencrypt" };
    expect(() => loadConfig(acme)).toThrow(/ACME_DIRECTORY needs DOMAIN/);
    const both = { ...acme, DOMAIN: name, TLS_CERT_FILE: "a", TLS_KEY_FILE: "b" };
    expect(() => loadConfig(both)).toThrow(/ACME_DIRECTORY contradicts TLS_CERT_FILE/);
    expect(() => loadConfig({ ACME_DIRECTORY: "http://ca.example", DOMAIN: name })).toThrow(/ACME_DIRECTORY must be/);
    expect(loadConfig({ ...acme, DOMAIN: name })).toMatchObject({ baseUrl: `https://${name}` });
  });
});

describe.skipIf(isMissing("pebble"))("a relay that gets its certificate itself", { timeout: timeoutMillis }, () => {
  let folder: string;
  let database: TestDatabase;
  let dns: DnsServer;
  let pebble: Pebble;
  let relay: RunningCommand;
  let port: number;
  let httpPort: number;
  let ca: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mls-relay-acme-"));
    database = await createTestDatabase({ empty: true });
    dns = await startDnsServer();
    [port, httpPort] = [await findFreePort(), await findFreePort()];
    pebble = await startPebble({ folder, httpPort, dnsServer: dns.address, lifetimeSeconds });
    ca = await pebble.issuer();
    relay = startCommand(["serve"], {
      ...{ DATABASE_URL: database.url, DATA_DIR: join(folder, "data"), DOMAIN: name, PORT: String(port) },
      ...{ ACME_DIRECTORY: pebble.directory, ACME_HTTP_PORT: String(httpPort), NODE_EXTRA_CA_CERTS: pebble.caFile },
      ...constantsEnvironment({ acmeCheckSeconds: 1, acmeRetrySeconds: 2, metricsFlushSeconds: 1 }),
      METRICS_PORT: "0",
    });
    await relay.seen(/ at https/);
  }, timeoutMillis);
  afterAll(async () => {
    relay.kill("SIGTERM");
    await relay.ended;
    await pebble.stop();
    await dns.stop();
    await database.drop();
    await rm(folder, { recursive: true });
  }, timeoutMillis);

  /** The certificate that the relay serves now. */
  function served(): Promise<{ certificate: X509Certificate; isTrusted: boolean }> {
    return new Promise((resolve, reject) => {
      const socket: TLSSocket = connect({ host: "127.0.0.1", port, servername: name, ca, rejectUnauthorized: false });
      socket.once("error", reject).once("secureConnect", () => {
        const certificate = socket.getPeerX509Certificate() as X509Certificate;
        resolve({ certificate, isTrusted: socket.authorized });
        socket.destroy();
      });
    });
  }

  test("serves at once with a certificate that nobody trusts, and says so", async () => {
    // The authority finds no address for the name yet.
    const { certificate, isTrusted } = await served();
    expect([certificate.subject, isTrusted]).toEqual([`CN=${name}`, false]);
    await expect.poll(() => dns.asked, patience).toContain(name);
  });

  test("is issued one when its name leads to it, without a restart", async () => {
    dns.names.set(name, "127.0.0.1");
    await expect.poll(async () => (await served()).isTrusted, patience).toBe(true);
    expect((await served()).certificate.subjectAltName).toBe(`DNS:${name}`);
  });

  test("renews it, and breaks no connection", async () => {
    const before = (await served()).certificate.serialNumber;
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca });
    const ask = () => probe(agent);
    const first = await ask();
    await expect
      .poll(async () => {
        // Requests keep the one connection open.
        expect(await ask()).toEqual({ ...first, isReused: true });
        return (await served()).certificate.serialNumber;
      }, patience)
      .not.toBe(before);
    expect((await served()).isTrusted).toBe(true);
    expect(await ask()).toEqual({ ...first, isReused: true });
    agent.destroy();
  });

  test("keeps keys and certificate for itself", async () => {
    const own = join(folder, "data/acme");
    const files = (await readdir(own)).filter((file) => file !== "order.lock");
    expect(files.toSorted()).toEqual(["account.key", "authority", "certificate.pem", "challenges", "key.pem"]);
    for (const file of ["account.key", "authority", "certificate.pem", "key.pem"]) {
      expect((await stat(join(own, file))).mode & 0o777, file).toBe(0o600);
    }
    expect((await stat(own)).mode & 0o077).toBe(0);
  });

  test("sends everybody else at that port to HTTPS", async () => {
    const answer = await fetch(`http://127.0.0.1:${httpPort}/docs?x=1`, { redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([308, `https://${name}/docs?x=1`]);
    for (const token of ["unknown", "..%2f..%2fkey.pem", "../../key.pem"]) {
      const none = await fetch(`http://127.0.0.1:${httpPort}/.well-known/acme-challenge/${token}`, {
        redirect: "manual",
      });
      expect([404, 308]).toContain(none.status);
    }
  });

  function probe(agent: Agent): Promise<{ status: number; localPort: number; isReused: boolean }> {
    return new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port, path: "/healthz", servername: name, agent };
      const sent = request(options, (response) => {
        const { localPort = 0 } = response.socket;
        response.resume().on("end", () => {
          resolve({ status: response.statusCode ?? 0, localPort, isReused: sent.reusedSocket });
        });
      });
      sent.on("error", reject).end();
    });
  }
});
