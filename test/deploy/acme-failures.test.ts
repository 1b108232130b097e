import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTestAuthority } from "../../scripts/test-ca/authority.js";
import { type AcmeCertificate, createAcmeCertificate } from "../../src/certificates/acme/certificate.js";
import { loadConfig } from "../../src/composition/config.js";
import { createLogger } from "../../src/platform/logger.js";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { refuse, startUnwillingAuthority, type UnwillingAuthority } from "./acme-authority.js";

const minute = 60_000;
const hour = 60 * minute;
const refusal = { type: "unauthorized", detail: "the name leads elsewhere" };

let folder: string;
let authority: UnwillingAuthority;
let acme: AcmeCertificate | undefined;
let log: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mls-relay-acme-failures-"));
  authority = await startUnwillingAuthority();
  log = "";
  // What decides when an order is due; requests and their time limits go by the real time.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
});
afterEach(async () => {
  await acme?.stop();
  acme = undefined;
  vi.useRealTimers();
  await authority.stop();
  await rm(folder, { recursive: true });
});

/** At default settings, but for those that a test names. */
async function start(
  overrides: { acmeDirectory?: string; acmeRequestSeconds?: number; baseUrl?: string } = {},
): Promise<void> {
  const config = {
    ...loadConfig({ DATA_DIR: folder, DOMAIN: "relay.test", ACME_DIRECTORY: "letsencrypt", HOST: "127.0.0.1" }),
    ...{ acmeDirectory: authority.directory, acmeHttpPort: await findFreePort(), ...overrides },
  };
  const destination = {
    write(line: string) {
      log += line;
    },
  };
  acme = createAcmeCertificate({ config, logger: createLogger({ level: "info", destination }) });
  await acme.start();
}

/** The time passes in steps of a minute; an order takes none. */
async function pass(minutes: number): Promise<void> {
  for (let i = 0; i < minutes; i++) {
    await vi.advanceTimersByTimeAsync(minute);
    await acme?.settled();
  }
}

const secondsLeft = () => (acme?.retryAt() ?? 0) - Date.now() / 1000;

const own = (name: string) => join(folder, "acme", name);

describe("an order that is refused", () => {
  it("is repeated after 5 minutes, then after pauses that double, at default settings", async () => {
    authority.answer = refuse(403, refusal);
    await start();
    await acme?.settled();
    expect(authority.orders()).toBe(1);
    expect(Math.abs(secondsLeft() - 300)).toBeLessThan(10);
    expect(log).toContain(new Date((acme?.retryAt() ?? 0) * 1000).toISOString());
    expect(log).toContain("answered 403: unauthorized: the name leads elsewhere");
    await pass(4);
    expect(authority.orders()).toBe(1);
    await pass(2);
    expect(authority.orders()).toBe(2);
    await pass(8);
    expect(authority.orders()).toBe(2);
    await pass(3);
    expect(authority.orders()).toBe(3);
  });

  it("is not repeated before the time that the authority names, and does not wait for it unseen", async () => {
    const limited = { type: "rateLimited", detail: "too many certificates", retryAfter: String((3 * hour) / 1000) };
    authority.answer = refuse(429, limited);
    await start();
    await acme?.settled();
    expect(authority.orders()).toBe(1);
    expect(Math.abs(secondsLeft() - 3 * 3600)).toBeLessThan(10);
    expect(acme?.failingSince()).toBeGreaterThan(0);
    await pass(178);
    expect(authority.orders()).toBe(1);
    await pass(6);
    expect(authority.orders()).toBe(2);
  });

  it("is not repeated before that time after a restart, but at once for another name or by another authority", async () => {
    const limited = { type: "rateLimited", detail: "too many certificates", retryAfter: String((3 * hour) / 1000) };
    authority.answer = refuse(429, limited);
    await start();
    await acme?.settled();
    await acme?.stop();
    await pass(60);
    await start();
    await acme?.settled();
    expect(authority.orders()).toBe(1);
    expect(Math.abs(secondsLeft() - 2 * 3600)).toBeLessThan(10);
    expect(log).toContain("wants no order");
    await pass(125);
    expect(authority.orders()).toBe(2);
    await acme?.stop();
    await start({ baseUrl: "https://other.test" });
    await acme?.settled();
    expect(authority.orders()).toBe(3);
    await acme?.stop();
    await writeFile(own("pause.json"), "{");
    await start();
    await acme?.settled();
    expect(authority.orders()).toBe(4);
  });

  it("is repeated although the clock is set back", async () => {
    authority.answer = refuse(403, refusal);
    await start();
    await acme?.settled();
    expect(authority.orders()).toBe(1);
    vi.setSystemTime(Date.now() - 10 * 365 * 24 * hour);
    await pass(6);
    expect(authority.orders()).toBe(2);
  });
});

describe("an authority", () => {
  it("that says nothing is given up after a time limit, and asked again", async () => {
    await start({ acmeRequestSeconds: 1 });
    await acme?.settled();
    expect(log).toContain("did not answer within 1 seconds");
    authority.answer = refuse(403, refusal);
    await pass(6);
    expect(authority.orders()).toBe(2);
  });

  it("that says nothing does not keep the relay from stopping, and nothing of it stays", async () => {
    await start();
    await expect.poll(authority.orders).toBe(1);
    await acme?.stop();
    expect(await readdir(join(folder, "acme"))).not.toContain("order.lock");
    expect(log).not.toContain("no certificate was issued");
  });

  it("that cannot be reached is named, with the reason", async () => {
    const port = await findFreePort();
    await start({ acmeDirectory: `http://127.0.0.1:${port}/directory` });
    await acme?.settled();
    expect(log).toContain(`127.0.0.1:${port} cannot be reached: connect ECONNREFUSED`);
  });

  it("other than the one that issued the certificate is asked at once", async () => {
    authority.answer = refuse(403, refusal);
    const { cert, key } = await (await createTestAuthority(new Date())).issue({ hosts: ["relay.test"], key: "p256" });
    await mkdir(own("challenges"), { recursive: true });
    await writeFile(own("certificate.pem"), cert);
    await writeFile(own("key.pem"), key);
    await writeFile(own("authority"), `${authority.directory}\n`);
    await start();
    await pass(24 * 60);
    expect(authority.orders()).toBe(0);
    await acme?.stop();
    await writeFile(own("authority"), "https://acme-staging-v02.api.letsencrypt.org/directory\n");
    await start();
    await acme?.settled();
    expect(authority.orders()).toBe(1);
    // What it serves meanwhile is still better than nothing.
    expect(await readFile(own("certificate.pem"), "utf8")).toBe(cert);
  });
});

describe("what a process left that was killed", () => {
  const longAgo = new Date(Date.now() - 10 * hour);
  const ahead = new Date(Date.now() + 10 * 365 * 24 * hour);

  it.each([
    ["old", longAgo],
    ["dated in the future", ahead],
  ])("a lock that is %s does not stop an order", async (_, at) => {
    authority.answer = refuse(403, refusal);
    await mkdir(own("challenges"), { recursive: true });
    await writeFile(own("order.lock"), "1");
    await writeFile(own("challenges/left"), "left");
    await utimes(own("order.lock"), at, at);
    await start();
    await acme?.settled();
    expect(authority.orders()).toBe(1);
    expect(await readdir(own("challenges"))).toEqual([]);
  });

  it.each(["", "-----BEGIN PRIVATE KEY-----\nMIGH"])("a key file that is empty or cut is replaced", async (text) => {
    authority.answer = refuse(403, refusal);
    await mkdir(own(""), { recursive: true });
    for (const name of ["key.pem", "account.key"]) await writeFile(own(name), text);
    await start();
    await acme?.settled();
    for (const name of ["key.pem", "account.key"]) {
      expect(await readFile(own(name), "utf8")).toContain("END PRIVATE KEY");
      expect(await readFile(own(`${name}.unusable`), "utf8")).toBe(text);
    }
  });
});
