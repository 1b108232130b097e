import { X509Certificate } from "node:crypto";
import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { rootCertificates } from "node:tls";
import { routes } from "../../generated/routes.js";
import type { Config } from "../composition/config.js";
import { localUrl } from "../platform/net/local-url.js";
import { dayMillis } from "../protocol/units.js";
import { callDirectly } from "./direct-call.js";
import { type Finding, failure, ok, warning } from "./doctor-finding.js";
import { explainProblem } from "./problem.js";

const timeoutMillis = 10_000;
const shortMillis = 2_000;

/** Checks what clients and other relays use: the name, the certificate, the discovery document. */
export async function checkNetwork(config: Config, nowMillis: number): Promise<Finding[]> {
  return [
    await checkDns(config),
    ...(await checkCertificates(config, nowMillis)),
    ...checkProxy(config),
    await checkReachable(config),
  ];
}

/** What serves HTTPS for a relay that does not: a proxy, which TRUSTED_PROXIES must name. */
function checkProxy(config: Config): Finding[] {
  const isBehindProxy = config.tlsCertFile === null && config.baseUrl.startsWith("https:");
  if (!isBehindProxy) return [];
  if (config.trustedProxies.length > 0) return [ok("proxy", `trusts ${config.trustedProxies.join(", ")}`)];
  const message = "BASE_URL is https, this relay serves plain HTTP, and TRUSTED_PROXIES is empty";
  return [warning("proxy", message, "name the proxy in TRUSTED_PROXIES, or all clients share one limit")];
}

async function checkDns({ baseUrl }: Config): Promise<Finding> {
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return ok("dns", `${host} is an IP address`);
  try {
    const found = await lookup(host, { all: true });
    return ok("dns", `${host} resolves to ${found.map(({ address }) => address).join(", ")}`);
  } catch {
    return failure("dns", `${host} does not resolve`, "add an A or AAAA record, or correct DOMAIN or BASE_URL");
  }
}

async function checkCertificates(config: Config, nowMillis: number): Promise<Finding[]> {
  const files = new Set([config.tlsCertFile, config.federationCertFile].filter((file) => file !== null));
  const findings = [...files].map((file) => checkCertificate(file, { config, nowMillis }));
  return Promise.all(findings);
}

async function checkCertificate(file: string, given: { config: Config; nowMillis: number }): Promise<Finding> {
  const { config, nowMillis } = given;
  const host = config.domain.replace(/:\d+$/, "");
  try {
    const pem = await readFile(file, "utf8");
    const certificate = new X509Certificate(pem);
    const days = Math.floor((Date.parse(certificate.validTo) - nowMillis) / dayMillis);
    const message = `${file} is valid for ${days} more days`;
    if (days < 0) return failure("certificate", `${file} has expired`, "renew it; the relay reloads it");
    if (certificate.checkHost(host) === undefined) {
      return failure("certificate", `${file} is not for ${host}`, "get one for DOMAIN");
    }
    const gap = await problemOfChain(pem, { config, nowMillis });
    if (gap !== undefined) return gap(file);
    if (days <= config.alertCertificateDays) return warning("certificate", message, "renew it");
    return ok("certificate", message);
  } catch (problem) {
    return failure(
      "certificate",
      `${file} cannot be read: ${(problem as Error).message}`,
      "check path and permissions",
    );
  }
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * What is wrong with the certificates that follow the first one in the file. Browsers fetch missing ones or have them stored, so they
 * hide what other relays and many apps refuse.
 */
async function problemOfChain(pem: string, given: { config: Config; nowMillis: number }) {
  const [leaf, ...rest] = (pem.match(certificateBlock) ?? []).map((block) => new X509Certificate(block));
  let last = leaf as X509Certificate;
  while (!isIssuedBy(last, last)) {
    const found = rest.findIndex((each) => isIssuedBy(last, each));
    const [issuer] = found === -1 ? [] : rest.splice(found, 1);
    if (issuer === undefined) break;
    last = issuer;
    const isExpired = Date.parse(issuer.validTo) < given.nowMillis;
    const advice = "renew the certificate with its whole chain; the relay reloads it";
    if (isExpired) return (file: string) => failure("certificate", `an intermediate in ${file} has expired`, advice);
  }
  const roots = await readRoots(given.config);
  if (roots.some((root) => root.fingerprint256 === last.fingerprint256 || isIssuedBy(last, root))) return undefined;
  if (isIssuedBy(last, last)) {
    const advice = "clients and other relays refuse it, unless they have its authority; see docs/how-to/https.md";
    return (file: string) => warning("certificate", `nobody trusts the issuer of ${file}`, advice);
  }
  const advice =
    "use the file with the whole chain (fullchain.pem of certbot); if the authority is private, name it in FEDERATION_CA_FILE";
  const name = last.issuer.split("\n").at(-1);
  return (file: string) =>
    failure("certificate", `${file} lacks an intermediate certificate: clients cannot get from it to ${name}`, advice);
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

async function readRoots({ federationCaFile }: Config): Promise<X509Certificate[]> {
  const files = [federationCaFile, process.env["NODE_EXTRA_CA_CERTS"]];
  const own = await Promise.all(files.map((file) => (file ? readFile(file, "utf8").catch(() => "") : "")));
  return [...rootCertificates, ...own.flatMap((pem) => pem.match(certificateBlock) ?? [])].map(
    (block) => new X509Certificate(block),
  );
}

/** The URL of a relay that listens on this machine where the configuration says; null if none does. */
export async function findRunningRelay(config: Config): Promise<string | null> {
  const { host } = new URL(localUrl(config, config.port));
  for (const scheme of ["http", "https"]) {
    const url = new URL(routes.getDiscovery.path, `${scheme}://${host}`);
    const call = { method: "GET", url, route: { anyCertificate: true as const }, timeoutMillis: shortMillis };
    const answer = await callDirectly(call).catch(() => undefined);
    if (typeof (answer?.body as { server?: unknown } | undefined)?.server === "string") return url.origin;
  }
  return null;
}

/** Requests the discovery document through the public address, as another relay would. */
async function checkReachable(config: Config): Promise<Finding> {
  const advice = "check that the relay runs, the proxy and the firewall (docs/how-to/proxies.md)";
  try {
    const more = config.federationCaFile === null ? undefined : await readFile(config.federationCaFile, "utf8");
    const ca = more === undefined ? undefined : [...rootCertificates, more].join("\n");
    const { status, body } = await callDirectly({
      method: "GET",
      url: new URL(routes.getDiscovery.path, config.baseUrl),
      timeoutMillis,
      route: ca === undefined ? {} : { ca },
    });
    const server = (body as { server?: unknown }).server;
    if (status !== 200) return failure("reachable", `${config.baseUrl} answers ${status}`, advice);
    if (server === config.domain) return ok("reachable", `${config.baseUrl} answers for ${config.domain}`);
    return failure(
      "reachable",
      `${config.baseUrl} answers for ${server}`,
      `set DOMAIN=${server}, or correct the proxy`,
    );
  } catch (problem) {
    return failure("reachable", explainProblem(problem).message, advice);
  }
}
