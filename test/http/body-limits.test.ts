import { expect, test } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { createBodyLimits } from "../../src/http/body/body-limits.js";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

test("bodies have the limits of the contract, with room for ciphertext in base64", () => {
  const limit = createBodyLimits(loadConfig({}), () => 10 * mebibyte);
  expect(limit("default")).toBe(64 * kibibyte);
  expect(limit("message")).toBe(13_981_016 + 16 * kibibyte);
  expect(limit("batch")).toBe(32 * mebibyte);
  expect(limit("federation")).toBe(32 * mebibyte);
  expect(limit("keypackages")).toBe(5 * mebibyte);
  expect(limit("infopackage")).toBeGreaterThanOrEqual(mebibyte * (4 / 3));
  expect(limit("provisioning")).toBeGreaterThanOrEqual(256 * kibibyte * (4 / 3));
});

test("the message limit follows the setting", () => {
  let size = 300;
  const limit = createBodyLimits(loadConfig({}), () => size);
  expect(limit("message")).toBe(400 + 16 * kibibyte);
  size = 3000;
  expect(limit("message")).toBe(4000 + 16 * kibibyte);
});
