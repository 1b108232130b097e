import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig, variableNames } from "../../src/composition/config.js";
import { machinePresets } from "../../src/settings/machine-presets.js";
import { presets, rulesByName } from "../../src/settings/service.js";
import { runHere, startCommand } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

const values = (name: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(presets[name]?.settings ?? {}).flatMap(([group, keys]) =>
      Object.entries(keys).map(([key, value]) => [`${group}.${key}`, value]),
    ),
  );

let database: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  const masterKey = randomBytes(32).toString("hex");
  env = { DATABASE_URL: database.url, MASTER_KEY: masterKey, DOMAIN: "relay.test", PORT: "0", LOG_LEVEL: "info" };
});
afterAll(() => database.drop());

const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await runHere(["settings", ...args, "--json"], env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
};

async function current(): Promise<Record<string, unknown>> {
  const { settings } = (await json("list")) as { settings: { name: string; value: unknown }[] };
  return Object.fromEntries(settings.map(({ name, value }) => [name, value]));
}

const audited = () =>
  database.db.rows<{ details: object }>(
    "select details from audit_entries where action = 'config_updated' order by id",
  );

async function serveOnce(args: readonly string[], more: Record<string, string> = {}): Promise<string> {
  const relay = startCommand(["serve", ...args], { ...env, ...more });
  await relay.seen(/ at http/);
  relay.kill("SIGTERM");
  return (await relay.ended).stdout;
}

describe("presets", () => {
  test("name settings that exist, with values within their bounds", async () => {
    for (const name of Object.keys(presets)) {
      for (const [setting, value] of Object.entries(values(name))) {
        const rule = rulesByName.get(setting);
        expect(rule, setting).toBeDefined();
        if (typeof value === "number") {
          expect(value, setting).toBeGreaterThanOrEqual(rule?.minimum ?? 0);
          expect(value, setting).toBeLessThanOrEqual(rule?.maximum ?? 0);
        }
      }
    }
    expect(Object.keys(await json("presets"))).toEqual([...Object.keys(presets), ...Object.keys(machinePresets)]);
    expect((await runHere(["settings", "presets"], env)).stdout).toMatch(
      /^community: .*\n {2}registration\.mode +invite_only +\[open\]/,
    );
  });

  test("are applied once by serve, are shown and audited, and give way to what the operator sets", async () => {
    const log = await serveOnce(["--preset", "community"], { SEED_PROGRESSIVE_TRUST_NEW_TIER_LIMIT: "77" });
    expect(log).toContain("the preset is applied");
    const expected = { ...values("community"), "progressive_trust.new_tier_limit": 77 };
    expect(await current()).toMatchObject(expected);
    expect(await json("list")).toMatchObject({ preset: "community" });
    const [entry] = await audited();
    expect(entry?.details).toMatchObject({
      preset: "community",
      changes: { "registration.mode": { old: "open", new: "invite_only" } },
    });

    await json("set", "registration.mode=open", "storage.message_queue_limit=500");
    expect(await serveOnce([], { PRESET: "community" })).not.toContain("the preset is applied");
    expect(await current()).toMatchObject({ "registration.mode": "open", "storage.message_queue_limit": 500 });
    expect(await audited()).toHaveLength(2);

    const applied = (await json("apply", "community")) as { name: string; before: unknown; after: unknown }[];
    expect(applied).toContainEqual({ name: "registration.mode", before: "open", after: "invite_only" });
    expect(await current()).toMatchObject(values("community"));
    expect(await audited()).toHaveLength(3);
  });

  test("name variables that exist, which a start reads unless they are set", () => {
    for (const [name, { variables = {} }] of Object.entries(presets)) {
      const given = loadConfig({ PRESET: name });
      for (const [variable, value] of Object.entries(variables)) {
        expect(variableNames()).toContain(variable);
        const member = variable.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
        expect(String(given[member as keyof typeof given]), variable).toBe(value);
        const other = value === "on" ? "off" : "7";
        expect(String(loadConfig({ PRESET: name, [variable]: other })[member as keyof typeof given])).toBe(other);
      }
    }
  });

  test("of another name are refused before anything starts", async () => {
    const refused = {
      code: 1,
      stderr: "configuration: PRESET must be one of community, messenger, development, small\n",
    };
    expect(await runHere(["serve", "--preset", "village"], env)).toMatchObject(refused);
    expect(await runHere(["settings", "apply", "village"], env)).toMatchObject({ code: 1 });
  });

  test("a setting that does not exist or is out of range changes nothing", async () => {
    const before = await current();
    for (const wrong of [
      ["registration.mood=open"],
      ["registration.mode=closed"],
      ["x"],
      ["server.max_retention_days=0"],
    ]) {
      const { code, stderr } = await runHere(["settings", "set", "registration.enabled=false", ...wrong], env);
      expect(code).toBe(1);
      expect(stderr).toContain(wrong[0]?.split("=")[0]);
      expect(stderr).not.toContain("SEED_");
    }
    expect(await current()).toEqual(before);
  });
});
