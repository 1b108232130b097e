import { daySeconds, hourSeconds } from "../../protocol/units.js";
import {
  checkAcmeDirectory,
  checkBusUrl,
  checkCidr,
  checkFederationName,
  checkHex32,
  checkHttpUrl,
  checkPostgresUrl,
} from "./checks.js";
import { choice, flag, integer, list, optionalInteger, optionalText, text } from "./setting.js";

/** Where the server is, who it is, and what it keeps where. */
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
};

export const databaseSettings = {
  databaseUrl: {
    ...optionalText("An existing PostgreSQL (14 to 18)", "postgres:// URL", checkPostgresUrl),
    shownFallback: "an embedded PostgreSQL in DATA_DIR",
  },
  readDatabaseUrl: {
    ...optionalText(
      "A replica of DATABASE_URL that metrics and the audit log are read from",
      "postgres:// URL",
      checkPostgresUrl,
    ),
    shownFallback: "DATABASE_URL",
  },
  databasePoolSize: integer("Most connections to the database per node", { default: 10, min: 2, max: 500 }),
  wakeUpBus: optionalText(
    "NATS server by which nodes on several machines hand each other new messages",
    "nats:// or tls:// URL",
    checkBusUrl,
  ),
};

export const databaseConstants = {
  databaseStatementTimeoutSeconds: integer("Longest time that a statement may take", {
    default: 30,
    min: 1,
    max: hourSeconds,
  }),
  databaseConnectTimeoutSeconds: integer("Longest wait for a connection", { default: 5, min: 1, max: 300 }),
  nodeHeartbeatSeconds: integer("Interval at which a node reports that it is alive", { default: 2, min: 1, max: 60 }),
  nodeDeadAfterSeconds: integer("Time without a report after which a node counts as dead", {
    default: 8,
    min: 2,
    max: 600,
  }),
  nodeSockets: flag("Whether nodes of one machine and account hand each other new messages over Unix sockets", true),
  settingsRefreshMillis: integer("Age at which a node reads its copy of settings and sessions again", {
    default: 900,
    min: 50,
    max: 1000,
  }),
  clockCheckSeconds: integer("Interval at which the clock is compared with the database's", {
    default: 10,
    min: 1,
    max: 600,
  }),
  clockDriftLimitMillis: integer("Uncorrected drift above which the node is not ready", {
    default: 2000,
    min: 100,
    max: 60000,
  }),
  clockJumpLimitSeconds: integer("Largest jump of the database's clock that is believed at once", {
    default: 120,
    min: 1,
    max: daySeconds,
  }),
  clockAgreementSeconds: integer(
    "Time for which the clocks of database and machine must agree before a larger jump is believed",
    {
      default: 600,
      min: 1,
      max: daySeconds,
    },
  ),
  metricsFlushSeconds: integer("Interval at which counters are written to the database", {
    default: 10,
    min: 1,
    max: 600,
  }),
};
