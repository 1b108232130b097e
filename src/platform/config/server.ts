import { kibibyte } from "../../protocol/units.js";
import {
  checkAcmeDirectory,
  checkCidr,
  checkFederationName,
  checkHex32,
  checkHttpUrl,
  parseListenHost,
} from "./checks.js";
import {
  choice,
  constant,
  flag,
  integer,
  list,
  optionalInteger,
  optionalText,
  type Setting,
  text,
  type ValuesOf,
} from "./setting.js";

function listenHost(description: string): Setting<string> {
  return { ...text(description, "127.0.0.1"), form: "host name or IP address", parse: parseListenHost };
}

/** Where the server listens, who it is, and where it keeps its files. */
export const serverSettings = {
  domain: {
    ...optionalText("The server's name: the part of addresses after the @", "host name[:port]", checkFederationName),
    shownFallback: "localhost:<PORT>",
  },
  baseUrl: {
    ...optionalText("The public address of the server", "http(s) URL", checkHttpUrl),
    shownFallback: "https://<DOMAIN>; for localhost, what the relay serves at PORT",
  },
  host: listenHost("The network address to listen on; 0.0.0.0 or :: for all"),
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
  app: choice("Whether the messenger is served at /app/", ["off", "on"], "off"),
  appUrl: {
    ...optionalText("The web application that opens the links of info packages", "http(s) URL", checkHttpUrl),
    shownFallback: "the messenger with APP=on; without it, a page that says what such a link is for",
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
  metricsHost: listenHost("The network address that METRICS_PORT listens on"),
  shutdownGraceSeconds: integer("Time that requests in progress have to finish after SIGTERM", {
    default: 20,
    min: 0,
    max: 600,
  }),
};

export const serverConstants = {
  acmeCheckSeconds: constant("Interval at which it is checked whether a certificate is to be ordered", 60),
  acmeRetrySeconds: constant("Pause after the first failed order of a certificate; it doubles up to six hours", 300),
  acmeRequestSeconds: constant("Longest wait for an answer of the ACME server", 30),
  acmeOrderSeconds: constant(
    "Longest time for an order of a certificate, which some authorities take minutes for",
    300,
  ),
  validateResponses: flag("Check every response against the contract", false),
  headersTimeoutSeconds: constant("Time within which the headers of a request must arrive", 10),
  answerStallSeconds: constant("A response is aborted when its client reads nothing for this time", 60),
  slowestBytesPerSecond: constant(
    "Least mean rate of a body, a response or a stream's frames, over twice the time after which silence ends them",
    4 * kibibyte,
  ),
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
