import { daySeconds, hourSeconds } from "../../protocol/units.js";
import { checkAcmeDirectory, checkCidr, checkFederationName, checkHex32, checkHttpUrl } from "./checks.js";
import { choice, flag, integer, list, optionalInteger, optionalText, text, type ValuesOf } from "./setting.js";

/** Where the server listens, who it is, and where it keeps its files. */
export const serverSettings = {
  domain: {
    ...optionalText("The server's name: the part of addresses after the @", "host name[:port]", checkFederationName),
    shownFallback: "localhost:<PORT>",
  },
  baseUrl: {
    ...optionalText("The public address of the server", "http(s) URL", checkHttpUrl),
    shownFallback: "https://<DOMAIN>, or http://localhost:<PORT> without a DOMAIN",
  },
  host: text("The network address to listen on; 0.0.0.0 or :: for all", "127.0.0.1"),
  port: integer("The TCP port to listen on; 0 picks a free one", { default: 8080, min: 0, max: 65535 }),
  acmeDirectory: optionalText(
    "ACME server that issues the certificate to serve HTTPS with; setting it agrees to its terms",
    "letsencrypt | letsencrypt-staging | https URL",
    checkAcmeDirectory,
  ),
  acmeHttpPort: integer("Port for the challenges of ACME_DIRECTORY, which arrive at port 80 of DOMAIN", {
    default: 80,
    min: 1,
    max: 65535,
  }),
  tlsCertFile: optionalText("Certificate chain (PEM) to serve HTTPS with; needs TLS_KEY_FILE", "path"),
  tlsKeyFile: optionalText("Private key (PEM) of TLS_CERT_FILE", "path"),
  trustedProxies: list("Reverse proxies whose X-Forwarded-For header is believed", "list of CIDR ranges", checkCidr),
  dataDir: text("Folder for the embedded database and the master key", ".data"),
  masterKey: optionalText(
    "Key that encrypts the secrets in the database; replaces MASTER_KEY_FILE",
    "64 hex",
    checkHex32,
  ),
  masterKeyNext: optionalText(
    "Key that is about to replace MASTER_KEY: see `mls-relay keys rotate-master`",
    "64 hex",
    checkHex32,
  ),
  masterKeyFile: {
    ...optionalText("File with the master key; created at the first start with mode 0600", "path"),
    shownFallback: "<DATA_DIR>/master.key",
  },
  logLevel: choice(
    "Lowest level that is logged",
    ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
    "info",
  ),
  logFormat: choice(
    "Form of the log: text for people, JSON for programs; auto is text on a terminal and JSON elsewhere",
    ["auto", "json", "text"],
    "auto",
  ),
  preset: list(
    "Named sets of settings, like `small,community`: see `mls-relay settings presets`",
    "list of names",
    () => {},
  ),
  metricsPort: optionalInteger("Port of GET /metrics for Prometheus", { min: 0, max: 65535 }),
  metricsHost: text("The network address that METRICS_PORT listens on", "127.0.0.1"),
  shutdownGraceSeconds: integer("Time that requests in progress have to finish after SIGTERM", {
    default: 20,
    min: 0,
    max: 600,
  }),
};

export const serverConstants = {
  acmeCheckSeconds: integer("Interval at which the certificate's age is checked", {
    default: hourSeconds,
    min: 1,
    max: daySeconds,
  }),
  acmeRetrySeconds: integer("Pause after the first failed order of a certificate; it doubles up to six hours", {
    default: 300,
    min: 1,
    max: daySeconds,
  }),
  validateResponses: flag("Check every response against the contract", false),
  headersTimeoutSeconds: integer("Time within which the headers of a request must arrive", {
    default: 10,
    min: 1,
    max: 600,
  }),
  answerStallSeconds: integer("A response is aborted when its client reads nothing for this time", {
    default: 60,
    min: 1,
    max: hourSeconds,
  }),
};

type Values = ValuesOf<typeof serverSettings & typeof serverConstants>;
type Derived = "domain" | "baseUrl" | "masterKeyFile" | "tlsCertFile" | "tlsKeyFile" | "preset";

/** The values of both tables, and those derived from others if they are not given. */
export interface ServerConfig extends Omit<Values, Derived> {
  readonly domain: string;
  readonly baseUrl: string;
  readonly masterKeyFile: string;
  /** The certificate to serve with: given, or issued by `acmeDirectory`. */
  readonly tlsCertFile: string | null;
  readonly tlsKeyFile: string | null;
  /** The preset of PRESET whose settings are applied once (settings/presets.ts). */
  readonly preset: string | null;
}

/** The folder of the certificate that ACME_DIRECTORY issues. */
export function acmeFolder(dataDir: string): string {
  return `${dataDir.replace(/\/+$/, "")}/acme`;
}
