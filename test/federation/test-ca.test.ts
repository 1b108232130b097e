import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openAuthorityFolder } from "../../scripts/test-ca/folder.js";
import { readCertificate } from "../../src/certificates/certificate.js";
import { problemOfChain } from "../../src/certificates/certificate-checks.js";
import { createTrustStore } from "../../src/certificates/trust-store.js";
import { loadConfig } from "../../src/composition/config.js";
import { createLogger } from "../../src/platform/logger.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const make = async (...args: string[]): Promise<string> => {
  const command = [path.join(root, "node_modules/tsx/dist/cli.mjs"), "scripts/make-test-ca.ts", ...args];
  return (await run(process.execPath, command, { cwd: root })).stdout;
};

let folder: string;
beforeAll(async () => {
  folder = path.join(await mkdtemp(path.join(tmpdir(), "mls-relay-ca-")), "ca");
});
afterAll(() => rm(path.dirname(folder), { recursive: true }));

const inFolder = (name: string) => path.join(folder, name);
const read = (name: string) => readFile(inFolder(name), "utf8");
it("makes an authority, a list, and certificates with keys that only their owner reads", async () => {
  expect(await make(folder, "one.example", "two.example")).toContain("TLS_CERT_FILE=");
  const [ca, one] = [new X509Certificate(await read("ca.pem")), new X509Certificate(await read("one.example.pem"))];
  expect(one.checkIssued(ca) && one.verify(ca.publicKey)).toBe(true);
  expect([one.checkHost("one.example"), one.checkHost("two.example")]).toEqual(["one.example", undefined]);
  for (const name of ["ca.key", "one.example.key"]) expect((await stat(inFolder(name))).mode & 0o777).toBe(0o600);
});

it("goes on with an authority that is there, and a relay accepts what it issued and did not revoke", async () => {
  const opened = await openAuthorityFolder(folder, { now: new Date(), keyMode: 0o644 });
  await opened.issue("three.example");
  expect((await stat(inFolder("three.example.key"))).mode & 0o777).toBe(0o644);
  await opened.revoke("two.example");
  const config = { ...loadConfig({}), federationCaFile: opened.caFile, federationCrlFile: opened.crlFile };
  const trust = createTrustStore({ config, logger: createLogger({ level: "silent" }) });
  await trust.start();
  const problems: Record<string, string | undefined> = {};
  for (const name of ["one.example", "two.example", "three.example"]) {
    const leaf = readCertificate(new X509Certificate(await read(`${name}.pem`)).raw);
    if (leaf === undefined) throw new Error("the certificate cannot be read");
    const deps = { trust: trust.current(), nowMillis: Date.now() };
    problems[name] = problemOfChain({ leaf, intermediates: [] }, name, deps);
  }
  await trust.stop();
  expect(problems).toEqual({
    "one.example": undefined,
    "two.example": expect.stringContaining("revoked"),
    "three.example": undefined,
  });
});

it("makes what OpenSSL reads and accepts: an authority with a name, a list, and certificates but for those revoked", async () => {
  const openssl = async (...args: string[]) => (await run("openssl", args, { cwd: folder })).stdout;
  expect(await openssl("x509", "-in", "ca.pem", "-noout", "-subject")).toMatch(/CN ?= ?mls-relay test authority/);
  expect(await openssl("crl", "-in", "crl.pem", "-noout", "-issuer")).toMatch(/CN ?= ?mls-relay test authority/);
  const strict = ["-x509_strict", "-purpose", "sslserver", "-crl_check", "-CRLfile", "crl.pem", "-CAfile", "ca.pem"];
  const verify = (name: string) => openssl("verify", ...strict, "-verify_hostname", name, `${name}.pem`);
  expect(await verify("one.example")).toContain("OK");
  await expect(verify("two.example")).rejects.toThrow(/certificate revoked/);
});
