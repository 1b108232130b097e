import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { ConfigError } from "../../src/platform/config/variables.js";
import { machinePresets } from "../../src/settings/machine-presets.js";
import { demoProgram, runCommand, startCommand } from "../support/command.js";

const { small } = machinePresets;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "small-test-"));
  await chmod(folder, 0o711);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the preset for a small machine", () => {
  test("gives values to variables that are not set, and to constants", () => {
    const config = loadConfig({ PRESET: "small", DATABASE_POOL_SIZE: "7", STREAMS_PER_NODE: "" });
    expect([config.databasePoolSize, config.streamsPerNode, config.intakeConcurrentFlushes]).toEqual([7, 1000, 1]);
    expect([config.machinePreset, config.preset]).toEqual([small, null]);
    expect(loadConfig({}).machinePreset).toBeNull();
  });

  test("goes together with one preset of settings", () => {
    expect(loadConfig({ PRESET: "small, community" })).toMatchObject({ machinePreset: small, preset: "community" });
    expect(() => loadConfig({ PRESET: "community,village" })).toThrow(ConfigError);
  });

  test("serves with the PostgreSQL that it brings, and the demo of a group passes", async () => {
    const settings = { DOMAIN: "relay.demo", BASE_URL: "http://relay.demo", PORT: "0", DATA_DIR: folder };
    const relay = startCommand(["serve", "--preset", "small"], {
      ...settings,
      SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "200000",
      SEED_PROGRESSIVE_TRUST_NEW_TIER_LIMIT: "1000",
    });
    try {
      const [, url = ""] = await relay.seen(/ at (http:\S+)/);
      const written = await readFile(path.join(folder, "postgres", "data", "postgresql.conf"), "utf8");
      for (const [name, value] of Object.entries(small?.postgresql ?? {}))
        expect(written).toContain(`${name} = '${value}'`);
      const demo = await runCommand(["--url", url, "--domain", "relay.demo"], {}, demoProgram);
      expect(demo).toMatchObject({ code: 0 });
    } finally {
      relay.kill("SIGTERM");
    }
    expect(await relay.ended).toMatchObject({ code: 0 });
  });
});
