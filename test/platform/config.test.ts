import { describe, expect, test } from "vitest";
import {
  type Config,
  constantsEnvironment,
  describeSettings,
  loadConfig,
  misspeltVariables,
  variableNames,
} from "../../src/composition/config.js";
import { ConfigError } from "../../src/platform/config/variables.js";
import { describeSeeds, readSeeds, seedVariables } from "../../src/settings/service.js";

function problemsOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const problems = (env: Record<string, string>): readonly string[] => problemsOf(() => loadConfig(env));

// Those of the specification's table that the configuration tree does not have.
const specified = {
  BATCH_LIMIT: 100,
  POLL_DEFAULT_LIMIT: 100,
  POLL_MAX_LIMIT: 1000,
  CUSTOM_RATE_LIMIT_MAX: 1000,
  MAX_ADDRESSES_PREFIX_FLOW: 10,
  MAX_ADDRESSES_REGISTRATION_FLOW: 100,
  NEW_ADDRESSES_PER_DAY: 5,
  ANNOUNCEMENTS_PER_HOUR: 3,
  TIMESTAMP_WINDOW_PAST_SECONDS: 300,
  TIMESTAMP_WINDOW_FUTURE_SECONDS: 60,
  CHALLENGES_PER_IP_HOUR: 10,
  FIRST_ANNOUNCEMENTS_PER_IP_HOUR: 3,
  FIRST_ANNOUNCEMENTS_PER_IP_DAY: 10,
  INVALID_PROOF_BAN_SECONDS: 86_400,
  CHALLENGE_LIFETIME_SECONDS: 300,
  MAX_PROOF_ITERATIONS: 80_000_000,
  PROVISIONING_PER_IP_HOUR: 10,
  PROVISIONING_MAX_TTL_SECONDS: 300,
  KEY_PACKAGES_LOW_MARK: 20,
  KEY_PACKAGES_PER_UPLOAD: 100,
  KEY_PACKAGE_LIFETIME_SECONDS: 2_592_000,
  SPAM_REPORTS_PER_HOUR: 10,
  SPAM_REPORTS_PER_DAY: 50,
  INFO_PACKAGE_MIN_TTL_SECONDS: 60,
  INFO_PACKAGE_MAX_TTL_SECONDS: 2_592_000,
  INFO_PACKAGE_MAX_USES: 1000,
  INFO_PACKAGE_CLEANUP_SECONDS: 3600,
  FEDERATION_MESSAGES_PER_MINUTE: 1000,
  FEDERATION_TRANSACTIONS_PER_MINUTE: 100,
  FEDERATION_TRANSACTION_CACHE_SECONDS: 3600,
  DEVICE_TOKEN_SECONDS: 86_400,
  ADMIN_TOKEN_SECONDS: 3600,
  FEDERATION_TOKEN_SECONDS: 3600,
  ADMIN_METRICS_PER_HOUR: 1000,
  ADMIN_CONFIG_UPDATES_PER_HOUR: 100,
  ADMIN_AUDIT_QUERIES_PER_HOUR: 1000,
  AUDIT_MAX_LIMIT: 1000,
  STREAM_WINDOW: 10,
  ACK_TIMEOUT_SECONDS: 60,
  KEEPALIVE_INTERVAL_SECONDS: 30,
};

describe("configuration", () => {
  test("an empty environment gives the documented defaults", () => {
    expect(loadConfig({})).toMatchObject({
      domain: "localhost:8080",
      baseUrl: "http://localhost:8080",
      host: "127.0.0.1",
      port: 8080,
      dataDir: ".data",
      masterKeyFile: ".data/master.key",
      databaseUrl: null,
      metricsPort: null,
      trustedProxies: [],
      maxAddressesPrefixFlow: 10,
      maxAddressesRegistrationFlow: 100,
      challengesPerIpHour: 10,
      firstAnnouncementsPerIpHour: 3,
      firstAnnouncementsPerIpDay: 10,
      maxProofIterations: 80_000_000,
      batchLimit: 100,
      pollMaxLimit: 1000,
      streamWindow: 10,
      ackTimeoutSeconds: 60,
      federationMessagesPerMinute: 1000,
      seeds: {},
    });
  });

  test("a variable that is set but empty counts as not set", () => {
    expect(loadConfig({ PORT: "", DATABASE_URL: " " })).toMatchObject({ port: 8080, databaseUrl: null });
  });

  test("domain and base address follow from the other settings", () => {
    expect(loadConfig({ PORT: "9000" })).toMatchObject({ domain: "localhost:9000", baseUrl: "http://localhost:9000" });
    expect(loadConfig({ DOMAIN: "Relay.Example.ORG." })).toMatchObject({
      domain: "relay.example.org",
      baseUrl: "https://relay.example.org",
    });
    expect(loadConfig({ DOMAIN: "bücher.example" }).domain).toBe("xn--bcher-kva.example");
    expect(loadConfig({ TLS_CERT_FILE: "a", TLS_KEY_FILE: "b" }).baseUrl).toBe("https://localhost:8080");
    for (const name of ["localhost:9000", "relay.localhost:9000", "127.0.0.1:9000", "[::1]:9000"]) {
      expect(loadConfig({ DOMAIN: name }).baseUrl).toBe(`http://${name}`);
    }
    expect(loadConfig({ DOMAIN: "localhost", PORT: "9000" })).toMatchObject({
      domain: "localhost",
      baseUrl: "http://localhost:9000",
    });
    expect(loadConfig({ DOMAIN: "localhost.example" }).baseUrl).toBe("https://localhost.example");
    expect(loadConfig({ HOST: "[::1]", METRICS_HOST: "[::]" })).toMatchObject({ host: "::1", metricsHost: "::" });
    for (const HOST of ["[::1]:8080", "127.0.0.1:8080", "[localhost]", "http://x"]) {
      expect(problems({ HOST })).toEqual([expect.stringMatching(/^HOST must be a host name or an IP address/)]);
    }
    expect(loadConfig({ BASE_URL: "https://a.example/" }).baseUrl).toBe("https://a.example");
    expect(loadConfig({ DATA_DIR: "/var/lib/relay/" }).masterKeyFile).toBe("/var/lib/relay/master.key");
  });

  test("all invalid variables are named together, without their values", () => {
    const found = problems({
      PORT: "eighty",
      LOG_LEVEL: "loud",
      TRUSTED_PROXIES: "10.0.0.0/8, 300.1.1.1",
      MASTER_KEY: "5ec2e7",
      BASE_URL: "ftp://x",
      DATABASE_URL: "mysql://user:hunter2@host/db",
      DOMAIN: "not a host",
      SEND_WAIT_MILLIS: "0",
      FEDERATION_PORTS: "443,99999",
      FEDERATION_ALLOW_PRIVATE: "perhaps",
    });
    expect(found.map((line) => line.split(" ")[0]).sort()).toEqual([
      "BASE_URL",
      "DATABASE_URL",
      "DOMAIN",
      "FEDERATION_ALLOW_PRIVATE",
      "FEDERATION_PORTS",
      "LOG_LEVEL",
      "MASTER_KEY",
      "PORT",
      "SEND_WAIT_MILLIS",
      "TRUSTED_PROXIES",
    ]);
    expect(found.join("\n")).not.toMatch(/hunter2|5ec2e7|perhaps/);
  });

  test("numbers are decimal digits within their bounds", () => {
    for (const text of ["1e3", "0x50", "80.5", "-1", "65536", "٨", "8 0"])
      expect(problems({ PORT: text })).toHaveLength(1);
    expect(loadConfig({ PORT: "65535", ...constantsEnvironment({ limitedBelowScore: 0.25 }) })).toMatchObject({
      port: 65535,
      limitedBelowScore: 0.25,
    });
  });

  test("settings that contradict each other are refused", () => {
    expect(problems({ TLS_CERT_FILE: "a" })).toEqual(["TLS_KEY_FILE is missing"]);
    expect(problems(constantsEnvironment({ pollDefaultLimit: 500, pollMaxLimit: 100 }))).toEqual([
      "POLL_DEFAULT_LIMIT must not be above POLL_MAX_LIMIT",
    ]);
    expect(problems({ MASTER_KEY: "ab".repeat(32), MASTER_KEY_FILE: "x" })).toHaveLength(1);
  });

  test("constants are not read from variables of their own, but from RELAY_CONSTANTS, and must be of their type", () => {
    expect(loadConfig({ STREAM_WINDOW_LIMIT: "3" }).streamWindowLimit).toBe(1000);
    const given = { streamWindowLimit: 3, validateResponses: true, spamReporterMinTier: "trusted" } as const;
    expect(loadConfig(constantsEnvironment(given))).toMatchObject(given);
    expect(problems({ RELAY_CONSTANTS: '{"streamWindowLimit": "1e3", "prot": 1}' })).toEqual([
      "RELAY_CONSTANTS names no constant: prot",
      "RELAY_CONSTANTS streamWindowLimit must be a number",
    ]);
    for (const text of ["[1]", "null", "streamWindow"]) {
      expect(problems({ RELAY_CONSTANTS: text })).toEqual(["RELAY_CONSTANTS must be a JSON object"]);
    }
  });

  test("RELAY_CONSTANTS may name variables as well, and a variable that is set comes first", () => {
    const env = constantsEnvironment({ announcementsPerHour: 7, streamWindow: 3 });
    expect(loadConfig(env)).toMatchObject({ announcementsPerHour: 7, streamWindow: 3 });
    expect(loadConfig({ ...env, STREAM_WINDOW: "4" })).toMatchObject({ announcementsPerHour: 7, streamWindow: 4 });
    expect(problems(constantsEnvironment({ streamWindow: 0 }))).toEqual([
      "RELAY_CONSTANTS streamWindow must be an integer within 1..1000",
    ]);
  });

  test.each(
    Object.entries(specified),
  )("the specification's limit %s is a variable with that default", (name, value) => {
    expect(variableNames()).toContain(name);
    const member = name.toLowerCase().replace(/_./g, ([, letter = ""]) => letter.toUpperCase()) as keyof Config;
    expect(loadConfig({})[member]).toBe(value);
    expect(loadConfig({ [name]: String(value) })[member]).toBe(value);
  });

  test("the help names every variable once, with its default, and no constant", () => {
    const help = `${describeSettings()}\n${describeSeeds()}`;
    const names = [...variableNames(), ...seedVariables()];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(help.split("\n").filter((line) => line.startsWith(`  ${name} `))).toHaveLength(1);
    expect(help).not.toMatch(/STREAM_WINDOW_LIMIT|RELAY_CONSTANTS/);
    expect(help).toMatch(/ {2}PORT .*integer 0\.\.65535; default 8080/);
  });
});

describe("variables that are not read", () => {
  const meantBy = (variable: string, value = "x") =>
    misspeltVariables({ [variable]: value }, seedVariables()).map(({ meant }) => meant);

  test.each([
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["database_url", "DATABASE_URL"],
    ["MLS_RELAY_DATABASE_URL", "DATABASE_URL"],
    ["MLS_RELAY_DATABSE_URL", "DATABASE_URL"],
    ["PROT", "PORT"],
    ["MLS_RELAY_PORT", "PORT"],
    ["HSOT", "HOST"],
    ["DOMIAN", "DOMAIN"],
    ["DATADIR", "DATA_DIR"],
    ["BACKUPDIR", "BACKUP_DIR"],
    ["BACKUP-DIR", "BACKUP_DIR"],
    ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
    ["DNS_SERVER", "DNS_SERVERS"],
    ["MASTERKEY_FILE", "MASTER_KEY_FILE"],
    ["LOGLEVEL", "LOG_LEVEL"],
    ["SEEDS_REGISTRATION_MODE", "SEED_REGISTRATION_MODE"],
  ])("%s is taken for a misspelling of %s", (variable, meant) => {
    expect(meantBy(variable)).toEqual([meant]);
  });

  test("no variable of the relay is taken for a misspelling of another one", () => {
    const names = [...variableNames(), ...seedVariables(), "RELAY_CONSTANTS"];
    expect(misspeltVariables(Object.fromEntries(names.map((name) => [name, "x"])), seedVariables())).toEqual([]);
  });

  test.each([
    [
      "a shell",
      "HOME HOST_ALIAS HOSTNAME HOSTTYPE HISTSIZE HISTFILE SHELL SHLVL PATH PWD OLDPWD TERM TERM_PROGRAM TZ USER LOGNAME MAIL LANG LANGUAGE LC_ALL LC_CTYPE LS_COLORS EDITOR VISUAL PAGER LESS DISPLAY COLORTERM COLUMNS LINES PS1 SORT POST PATHS GROUP UID EUID SUDO_USER SUDO_UID SUDO_COMMAND SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS XDG_CONFIG_HOME XDG_DATA_HOME XDG_DATA_DIRS XDG_RUNTIME_DIR XDG_SESSION_ID TMPDIR TEMP DEBIAN_FRONTEND BASH_ENV CDPATH MANPATH INFOPATH",
    ],
    [
      "systemd",
      "NOTIFY_SOCKET WATCHDOG_USEC WATCHDOG_PID MAINPID INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID CREDENTIALS_DIRECTORY STATE_DIRECTORY RUNTIME_DIRECTORY CACHE_DIRECTORY LOGS_DIRECTORY CONFIGURATION_DIRECTORY LISTEN_FDS LISTEN_PID LISTEN_FDNAMES MEMORY_PRESSURE_WATCH MEMORY_PRESSURE_WRITE",
    ],
    [
      "Node.js and npm",
      "NODE NODE_ENV NODE_PATH NODE_OPTIONS NODE_VERSION NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE NODE_CHANNEL_FD NODE_UNIQUE_ID YARN_VERSION UV_THREADPOOL_SIZE NPM_CONFIG_LOGLEVEL npm_command npm_config_user_agent npm_config_cache npm_config_prefix npm_config_noproxy npm_execpath npm_lifecycle_event npm_lifecycle_script npm_node_execpath npm_package_json npm_package_name npm_package_version INIT_CWD COLOR FORCE_COLOR NO_COLOR CI",
    ],
    [
      "containers and proxies",
      "container HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY FTP_PROXY http_proxy https_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE DOCKER_HOST DOCKER_CONFIG COMPOSE_FILE COMPOSE_PROJECT_NAME KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT_443_TCP_ADDR POD_NAME POD_IP",
    ],
    [
      "PostgreSQL and other programs",
      "PGHOST PGPORT PGUSER PGDATABASE PGPASSWORD PGDATA PGTZ PGSSLMODE POSTGRES_PASSWORD POSTGRES_USER POSTGRES_DB POSTGRES_HOST POSTGRES_PORT MYSQL_HOST REDIS_URL REDIS_HOST HTTP_PORT HTTP_HOST SMTP_HOST SMTP_PORT SMTP_USER SMTP_PASSWORD AWS_REGION AWS_SECRET_ACCESS_KEY JAVA_DIR JAVA_HOME GOPATH BASE_DIR BASE_PATH DATA_PATH DATA_HOME CACHE_DIR LOG_DIR LOG_FILE RAILS_MASTER_KEY SECRET_KEY OTEL_SERVICE_NAME OTEL_TRACES_SAMPLER OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_TRACES_ENDPOINT GRAFANA_PASSWORD",
    ],
  ])("an environment of %s has none", (_, names) => {
    const env = Object.fromEntries(names.split(" ").map((name) => [name, "x"]));
    expect(misspeltVariables(env, seedVariables())).toEqual([]);
  });

  test("addresses that Kubernetes names after a service are none, nor are variables without a value", () => {
    const service = {
      MLS_RELAY_SERVICE_HOST: "10.0.0.1",
      MLS_RELAY_SERVICE_PORT: "8080",
      MLS_RELAY_PORT: "tcp://10.0.0.1:8080",
      MLS_RELAY_PORT_8080_TCP: "tcp://10.0.0.1:8080",
      MLS_RELAY_PORT_8080_TCP_PORT: "8080",
      MLS_RELAY_PORT_8080_TCP_ADDR: "10.0.0.1",
      DATABSE_URL: " ",
    };
    expect(misspeltVariables(service, seedVariables())).toEqual([]);
    expect(problems(service)).toEqual([]);
  });

  test("a misspelling of what says where data is refuses the start, unless the variable itself is set", () => {
    const misspelt = {
      DATABSE_URL: "postgres://x/y",
      DATADIR: "/data",
      BACKUPDIR: "/backups",
      MASTER_KEYS: "ab".repeat(32),
      MASTERKEY_FILE: "/key",
      DOMIAN: "relay.example",
      MLS_RELAY_READ_DATABASE_URL: "postgres://x/y",
    };
    expect(problems(misspelt).map((line) => line.split(" ")[0])).toEqual(Object.keys(misspelt));
    expect(problems({ DATABSE_URL: "postgres://x/y" })).toEqual([
      "DATABSE_URL is not read: correct its name to DATABASE_URL, or remove it",
    ]);
    expect(problems({ DATABASE_URI: "postgres://x/y", DATABASE_URL: "postgres://x/z" })).toEqual([]);
    expect(problems({ PROT: "80", TRUSTED_PROXY: "::1", LOGLEVEL: "warn" })).toEqual([]);
  });
});

test.each([
  "relay_example",
  "-relay.example",
  "relay..example",
  "relay.example:0",
  "relay example",
])("the name %s, which no address may contain, is refused", (name) => {
  expect(problems({ DOMAIN: name })).toHaveLength(1);
});

describe("seeds of the settings", () => {
  test("a variable of each form seeds its key", () => {
    const variables = {
      SEED_SERVER_SERVER_NAME: "Our relay",
      SEED_REGISTRATION_MODE: "invite_only",
      SEED_REGISTRATION_ENABLED: "false",
      SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "1000",
      SEED_FEDERATION_AUTO_BLOCK_THRESHOLD: "0.25",
    };
    expect(readSeeds(loadConfig(variables).seeds)).toEqual({
      server: { server_name: "Our relay" },
      registration: { mode: "invite_only", enabled: false, proof_of_work_difficulty: 1000 },
      federation: { auto_block_threshold: 0.25 },
    });
  });

  test("unknown keys and values out of range are named", () => {
    const variables = {
      SEED_REGISTRATION_MOOD: "open",
      SEED_REGISTRATION_MODE: "closed",
      SEED_REGISTRATION_ENABLED: "maybe",
      SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "0",
      SEED_FEDERATION_AUTO_BLOCK_THRESHOLD: "2",
    };
    const found = problemsOf(() => readSeeds(loadConfig(variables).seeds));
    expect(found.map((line) => line.split(" ")[0])).toEqual(Object.keys(variables));
  });
});
