import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ConfigError, loadConfig } from "../../src/platform/config/config.js";

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

// What the contract refuses before a setting is asked. A setting beyond it would seem to work and have no effect.
const bounds: [string, number | undefined][] = [
  ["BATCH_LIMIT", member("SendMessageBatchRequest", "messages").maxItems],
  ["ACK_LIST_LIMIT", member("AcknowledgeMessagesRequest", "message_ids").maxItems],
  ["POLL_DEFAULT_LIMIT", parameter("pollMessages", "limit").maximum],
  ["POLL_MAX_LIMIT", parameter("pollMessages", "limit").maximum],
  ["KEY_PACKAGES_PER_UPLOAD", member("UploadKeyPackagesRequest", "key_packages").maxItems],
  ["PROVISIONING_MAX_TTL_SECONDS", member("CreateProvisioningRequest", "ttl_seconds").maximum],
  ["INFO_PACKAGE_MAX_TTL_SECONDS", member("UploadInfoPackageRequest", "ttl_seconds").maximum],
  ["INFO_PACKAGE_MAX_USES", member("UploadInfoPackageRequest", "max_uses").maximum],
  ["AUDIT_MAX_LIMIT", parameter("listAuditEntries", "limit").maximum],
  ["OUTBOX_TRANSACTION_MESSAGES", member("DeliverTransactionRequest", "messages").maxItems],
];

describe("a setting that the contract bounds as well", () => {
  test.each(bounds)("%s may be what the contract takes (%i), and nothing starts with more", (name, bound) => {
    expect(bound).toBeGreaterThan(0);
    expect(() => loadConfig({ [name]: String(bound) })).not.toThrow();
    let problem: unknown;
    try {
      loadConfig({ [name]: String((bound ?? 0) + 1) });
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(ConfigError);
    const told = (problem as ConfigError).problems.join();
    expect(told).toMatch(new RegExp(`^${name} must be .*\\b${bound}\\b`));
  });

  test("the shortest life of a linking address is no shorter than the contract takes", () => {
    const { minimum = 0 } = member("CreateProvisioningRequest", "ttl_seconds");
    expect(() => loadConfig({ PROVISIONING_MIN_TTL_SECONDS: String(minimum) })).not.toThrow();
    expect(() => loadConfig({ PROVISIONING_MIN_TTL_SECONDS: String(minimum - 1) })).toThrow(ConfigError);
  });
});
