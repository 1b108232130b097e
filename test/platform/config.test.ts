import { describe, expect, test } from "vitest";
import {
  ConfigError,
  constantsEnvironment,
  describeSettings,
  loadConfig,
  unreadVariables,
  variableNames,
} from "../../src/platform/config/config.js";
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
      "RELAY_CONSTANTS pollDefaultLimit must not be above pollMaxLimit",
    ]);
    expect(problems({ MASTER_KEY: "ab".repeat(32), MASTER_KEY_FILE: "x" })).toHaveLength(1);
  });

  test("constants are not read from variables of their own, but from RELAY_CONSTANTS, and checked like variables", () => {
    expect(loadConfig({ STREAM_WINDOW: "3" }).streamWindow).toBe(10);
    expect(unreadVariables({ STREAM_WINDOW: "3", PORT: "1", POLL_MAX_LIMIT: "" })).toEqual(["STREAM_WINDOW"]);
    const given = { streamWindow: 3, validateResponses: true, spamReporterMinTier: "trusted" } as const;
    expect(loadConfig(constantsEnvironment(given))).toMatchObject(given);
    expect(problems({ RELAY_CONSTANTS: '{"streamWindow": 0, "port": 1}' })).toEqual([
      "RELAY_CONSTANTS names no constant: port",
      "RELAY_CONSTANTS streamWindow must be an integer within 1..1000",
    ]);
    for (const text of ["[1]", "null", "streamWindow"]) {
      expect(problems({ RELAY_CONSTANTS: text })).toEqual(["RELAY_CONSTANTS must be a JSON object"]);
    }
  });

  test("the help names every variable once, with its default, and no constant", () => {
    const help = `${describeSettings()}\n${describeSeeds()}`;
    const names = [...variableNames(), ...seedVariables()];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(help.split("\n").filter((line) => line.startsWith(`  ${name} `))).toHaveLength(1);
    expect(help).not.toMatch(/STREAM_WINDOW|RELAY_CONSTANTS/);
    expect(help).toMatch(/ {2}PORT .*integer 0\.\.65535; default 8080/);
  });
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
