import { daySeconds, hourSeconds } from "../../protocol/units.js";
import { checkCidr, checkFederationName, checkHex32, checkHttpUrl, checkPostgresUrl } from "./checks.js";
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
  port: integer("The TCP port to listen on; 0 takes a free one", { default: 8080, min: 0, max: 65535 }),
  tlsCertFile: optionalText("Certificate chain (PEM) to serve HTTPS with; needs TLS_KEY_FILE", "path"),
  tlsKeyFile: optionalText("Private key (PEM) of TLS_CERT_FILE", "path"),
  trustedProxies: list("Reverse proxies whose X-Forwarded-For is believed", "list of CIDR ranges", checkCidr),
  dataDir: text("Folder for the embedded database and the master key", ".data"),
  masterKey: optionalText(
    "Key that encrypts the secrets in the database; takes the place of a file",
    "64 hex",
    checkHex32,
  ),
  masterKeyNext: optionalText(
    "Key that is about to take the place of MASTER_KEY: see `mls-relay keys rotate-master`",
    "64 hex",
    checkHex32,
  ),
  masterKeyFile: {
    ...optionalText("File with the master key; made at the first start, mode 0600", "path"),
    shownFallback: "<DATA_DIR>/master.key",
  },
  logLevel: choice(
    "Least level that is logged",
    ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
    "info",
  ),
  validateResponses: flag("Check every response against the contract (development and tests)", false),
  metricsPort: optionalInteger("Port of GET /metrics for Prometheus", { min: 0, max: 65535 }),
  metricsHost: text("The network address of METRICS_PORT", "127.0.0.1"),
  shutdownGraceSeconds: integer("How long requests in progress may take to end after SIGTERM", {
    default: 20,
    min: 0,
    max: 600,
  }),
};

export const databaseSettings = {
  databaseUrl: {
    ...optionalText("An existing PostgreSQL (14 to 18)", "postgres:// URL", checkPostgresUrl),
    shownFallback: "an embedded PostgreSQL in DATA_DIR",
  },
  databasePoolSize: integer("Most connections to the database per node", { default: 10, min: 2, max: 500 }),
  databaseStatementTimeoutSeconds: integer("A statement that takes longer is given up", {
    default: 30,
    min: 1,
    max: hourSeconds,
  }),
  databaseConnectTimeoutSeconds: integer("Longest wait for a connection", { default: 5, min: 1, max: 300 }),
  nodeHeartbeatSeconds: integer("A node signs itself as alive this often", { default: 2, min: 1, max: 60 }),
  nodeDeadAfterSeconds: integer("A node silent for this long counts as gone", { default: 10, min: 2, max: 600 }),
  settingsRefreshMillis: integer("Age at which a node's copy of settings and sessions is read anew", {
    default: 500,
    min: 50,
    max: 1000,
  }),
  clockCheckSeconds: integer("The clock is compared with the database this often", { default: 10, min: 1, max: 600 }),
  clockDriftLimitMillis: integer("Uncorrected drift above which the node is not ready", {
    default: 2000,
    min: 100,
    max: 60000,
  }),
  clockJumpLimitSeconds: integer("A jump of the database's clock beyond this is not believed", {
    default: 120,
    min: 1,
    max: daySeconds,
  }),
  clockAgreementSeconds: integer("until it has agreed with the machine's clock for this long", {
    default: 600,
    min: 1,
    max: daySeconds,
  }),
  metricsFlushSeconds: integer("Counters are written to the database this often", { default: 10, min: 1, max: 600 }),
};
