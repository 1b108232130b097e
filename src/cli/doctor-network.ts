import { X509Certificate } from "node:crypto";
import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { rootCertificates } from "node:tls";
import { routes } from "../../generated/routes.js";
import type { Config } from "../composition/config.js";
import { dayMillis } from "../protocol/units.js";
import { callDirectly } from "./direct-call.js";
import { type Finding, failure, ok, warning } from "./doctor-finding.js";
import { explainProblem } from "./problem.js";

const timeoutMillis = 10_000;

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
    const certificate = new X509Certificate(await readFile(file));
    const days = Math.floor((Date.parse(certificate.validTo) - nowMillis) / dayMillis);
    const message = `${file} is valid for ${days} more days`;
    if (days < 0) return failure("certificate", `${file} has expired`, "renew it; the relay reloads it");
    if (certificate.checkHost(host) === undefined) {
      return failure("certificate", `${file} is not for ${host}`, "get one for DOMAIN");
    }
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
