import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestAuthority } from "../../scripts/test-ca/authority.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { demoProgram, runCommand, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { isMissing, programs } from "../support/programs.js";
import { shareOf } from "../support/shares.js";
import { type ProxyOptions, type RunningProxy, startCaddy, startHaproxy, startNginx } from "./programs.js";

const timeoutMillis = 240_000;
const proxies = { nginx: startNginx, caddy: startCaddy, haproxy: startHaproxy } as const;
const challengesPerHour = 40;
/** Behind which of them the demo is played, which takes longest. */
const played = shareOf(Object.keys(proxies), 3);

let folder: string;
let ca: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "mls-relay-proxies-"));
  await chmod(folder, 0o711);
  const authority = await createTestAuthority(new Date());
  const { cert, key } = await authority.issue({ hosts: ["localhost"] });
  ca = authority.cert;
  await writeFile(path.join(folder, "ca.pem"), ca);
  await writeFile(path.join(folder, "cert.pem"), cert);
  await writeFile(path.join(folder, "key.pem"), key);
});
afterAll(() => rm(folder, { recursive: true }));

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: { error?: string };
}

/** Calls over TLS, trusting the test authority. */
function ask(
  url: URL,
  { method = "GET", headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, ca, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, body: text.startsWith("{") ? JSON.parse(text) : {} });
      });
    });
    sent.on("error", reject).end(body);
  });
}

for (const name of ["nginx", "caddy", "haproxy"] as const) {
  describe.skipIf(isMissing(name))(`behind ${name}, with the file that is shipped`, { timeout: timeoutMillis }, () => {
    let database: TestDatabase;
    let relay: ReturnType<typeof startCommand>;
    let proxy: RunningProxy;
    let base: string;

    beforeAll(async () => {
      const own = path.join(folder, name);
      const options: ProxyOptions = {
        folder: await mkdtemp(`${own}-`),
        port: await findFreePort(),
        relayPort: await findFreePort(),
        certFile: path.join(folder, "cert.pem"),
        keyFile: path.join(folder, "key.pem"),
      };
      database = await createTestDatabase();
      base = `https://localhost:${options.port}`;
      relay = startCommand(["serve"], {
        DATABASE_URL: database.url,
        MASTER_KEY: randomBytes(32).toString("hex"),
        LOG_LEVEL: "warn",
        PORT: String(options.relayPort),
        DOMAIN: `localhost:${options.port}`,
        BASE_URL: base,
        TRUSTED_PROXIES: "127.0.0.1,::1",
        FEDERATION_ALLOW_PRIVATE: "true",
        FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "100",
        FIRST_ANNOUNCEMENTS_PER_IP_DAY: "100",
        CHALLENGES_PER_IP_HOUR: String(challengesPerHour),
        SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
        SEED_PROGRESSIVE_TRUST_NEW_TIER_LIMIT: "1000",
      });
      await relay.seen(/ at http/);
      proxy = await proxies[name](programs[name].find() ?? "", options);
    }, timeoutMillis);
    afterAll(async () => {
      await proxy?.stop();
      relay?.kill("SIGTERM");
      await relay?.ended;
      await database?.drop();
    });

    test.each(
      played.filter((one) => one === name),
    )("the demo succeeds: devices register, groups talk, streams stay open, a device is linked", async () => {
      const trust = { NODE_EXTRA_CA_CERTS: path.join(folder, "ca.pem") };
      const ended = await runCommand(["--url", base], trust, demoProgram);
      expect(ended, `${ended.stdout}\n${ended.stderr}`).toMatchObject({ code: 0 });
    });

    test("browsers are told to use HTTPS alone, in refusals too", async () => {
      for (const [page, status] of [
        ["/", 200],
        ["/v1/messages", 401],
      ] as const) {
        const answer = await ask(new URL(page, base));
        expect(answer).toMatchObject({ status, headers: { "strict-transport-security": "max-age=31536000" } });
      }
    });

    test("large requests reach the relay, which refuses them itself", async () => {
      const url = new URL("/v1/messages", base);
      const headers = { "content-type": "application/json", authorization: "Bearer wrong" };
      const large = await ask(url, { method: "POST", headers, body: JSON.stringify({ text: "x".repeat(3_000_000) }) });
      expect(large).toMatchObject({ status: 401, body: { error: "INVALID_TOKEN" } });
    });

    test("X-Forwarded-For of a client is ignored: limits count by its address", async () => {
      const url = new URL("/api/v1/announce/challenge", base);
      const statuses: number[] = [];
      for (let i = 0; i <= challengesPerHour; i++) {
        const headers = { "content-type": "application/json", "x-forwarded-for": `192.0.2.${i}` };
        const body = JSON.stringify({ public_key: randomBytes(32).toString("hex") });
        statuses.push((await ask(url, { method: "POST", headers, body })).status);
      }
      expect(statuses[0]).toBe(200);
      expect(statuses.at(-1)).toBe(429);
    });
  });
}

test("the shipped files name the relay's default port and terminate TLS 1.3", async () => {
  for (const [file, version] of [
    ["nginx.conf", "ssl_protocols       TLSv1.3;"],
    ["Caddyfile", "protocols tls1.3"],
    ["haproxy.cfg", "ssl-min-ver TLSv1.3"],
  ]) {
    const text = await readFile(new URL(`../../deploy/${file}`, import.meta.url), "utf8");
    expect(text).toContain("127.0.0.1:8080");
    expect(text).toContain(version);
  }
});
