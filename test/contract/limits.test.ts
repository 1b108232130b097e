import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Constants, constantsEnvironment, loadConfig } from "../../src/composition/config.js";
import { ConfigError } from "../../src/platform/config/variables.js";

interface Schema {
  $ref?: string;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
}
interface Operation {
  operationId?: string;
  parameters?: { name?: string; schema?: Schema }[];
}

const document = JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8"));
const member = (schema: string, name: string): Schema => {
  const found: Schema = document.components.schemas[schema].properties[name];
  return found.$ref === undefined ? found : document.components.schemas[found.$ref.split("/").at(-1) ?? ""];
};
const operations = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap(Object.values);
const parameter = (operationId: string, name: string): Schema => {
  const operation = (operations as Operation[]).find((one) => one.operationId === operationId);
  return operation?.parameters?.find((one) => one.name === name)?.schema ?? {};
};

// The contract refuses these before a constant is read: a constant beyond the bound would have no effect.
const bounds: [keyof Constants, number | undefined][] = [
  ["ackListLimit", member("AcknowledgeMessagesRequest", "message_ids").maxItems],
  ["pollDefaultLimit", parameter("pollMessages", "limit").maximum],
  ["pollMaxLimit", parameter("pollMessages", "limit").maximum],
  ["keyPackagesPerUpload", member("UploadKeyPackagesRequest", "key_packages").maxItems],
  ["provisioningMaxTtlSeconds", member("CreateProvisioningRequest", "ttl_seconds").maximum],
  ["infoPackageMaxTtlSeconds", member("UploadInfoPackageRequest", "ttl_seconds").maximum],
  ["infoPackageMaxUses", member("UploadInfoPackageRequest", "max_uses").maximum],
  ["auditMaxLimit", parameter("listAuditEntries", "limit").maximum],
  ["outboxTransactionMessages", member("DeliverTransactionRequest", "messages").maxItems],
];

describe("a constant that the contract bounds as well", () => {
  test.each(bounds)("%s may be as large as the contract allows (%i), and no relay starts with more", (name, bound) => {
    expect(bound).toBeGreaterThan(0);
    expect(() => loadConfig(constantsEnvironment({ [name]: bound ?? 0 }))).not.toThrow();
    let problem: unknown;
    try {
      loadConfig(constantsEnvironment({ [name]: (bound ?? 0) + 1 }));
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(ConfigError);
    const text = (problem as ConfigError).problems.join();
    expect(text).toMatch(new RegExp(`^RELAY_CONSTANTS ${name} must be .*\\b${bound}\\b`));
  });

  test("the messages of a batch are a setting, up to what the contract allows", () => {
    const { maxItems = 0 } = member("SendMessageBatchRequest", "messages");
    expect(loadConfig({}).batchLimit).toBe(100);
    expect(loadConfig({ BATCH_LIMIT: String(maxItems) }).batchLimit).toBe(maxItems);
    expect(() => loadConfig({ BATCH_LIMIT: String(maxItems + 1) })).toThrow(ConfigError);
  });

  test("the shortest lifetime of a linking address is no shorter than the contract allows", () => {
    const { minimum = 0 } = member("CreateProvisioningRequest", "ttl_seconds");
    expect(() => loadConfig(constantsEnvironment({ provisioningMinTtlSeconds: minimum }))).not.toThrow();
    expect(() => loadConfig(constantsEnvironment({ provisioningMinTtlSeconds: minimum - 1 }))).toThrow(ConfigError);
  });
});
