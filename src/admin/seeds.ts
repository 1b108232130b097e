import { readFile } from "node:fs/promises";
import { ConfigError } from "../platform/config/variables.js";
import { parsePublicKey } from "../protocol/identifiers.js";
import { isAcceptableKey } from "../protocol/signature.js";
import type { AdminEntry } from "./admin-list.js";
import type { AdminSettings } from "./config.js";
import { readPermissions } from "./permissions.js";

/**
 * Reads the administrators that the environment names: ADMIN_LIST as `<public key hex>=<permission>+<permission>`, separated
 * by commas, and ADMIN_LIST_FILE as JSON. Throws a ConfigError that names the invalid variable.
 */
export async function readAdminSeeds(
  config: Pick<AdminSettings, "adminList" | "adminListFile">,
): Promise<AdminEntry[]> {
  const { adminList, adminListFile } = config;
  return [
    ...(adminList === null ? [] : withVariableName("ADMIN_LIST", () => readList(adminList))),
    ...(adminListFile === null ? [] : await readListFile(adminListFile)),
  ];
}

/** Parses one administrator from a public key in hex and the names of permissions. Throws an Error. */
export function readAdminEntry(publicKeyHex: string, words: readonly string[]): AdminEntry {
  const publicKey = parsePublicKey(publicKeyHex);
  if (publicKey === undefined) throw new Error("a public key must be 64 hexadecimal characters");
  if (!isAcceptableKey(publicKey)) throw new Error(`${publicKeyHex} is not an acceptable Ed25519 public key`);
  if (words.length === 0) throw new Error(`${publicKeyHex} has no permissions`);
  return { publicKey, permissions: readPermissions(words) };
}

function readList(text: string): AdminEntry[] {
  const items = text.split(",").map((item) => item.trim());
  return items.filter((item) => item !== "").map(readItem);
}

function readItem(item: string): AdminEntry {
  const [key = "", words = "", ...more] = item.split("=");
  if (more.length > 0) throw new Error("must have the form <public key hex>=<permission>+<permission>");
  return readAdminEntry(key.trim(), splitWords(words));
}

function splitWords(words: string): string[] {
  return words
    .split("+")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

async function readListFile(path: string): Promise<AdminEntry[]> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ConfigError([`ADMIN_LIST_FILE cannot be read: ${(cause as NodeJS.ErrnoException).code ?? cause}`]);
  });
  return withVariableName("ADMIN_LIST_FILE", () => readJson(text));
}

function readJson(text: string): AdminEntry[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error("must hold a JSON array");
  return list.map((item: unknown) => {
    const { public_key, permissions } = (item ?? {}) as { public_key?: unknown; permissions?: unknown };
    const isList = Array.isArray(permissions) && permissions.every((word) => typeof word === "string");
    if (typeof public_key !== "string" || !isList) throw new Error("each entry must have public_key and permissions");
    return readAdminEntry(public_key, permissions);
  });
}

function withVariableName<T>(variable: string, read: () => T): T {
  try {
    return read();
  } catch (problem) {
    throw new ConfigError([`${variable}: ${problem instanceof Error ? problem.message : String(problem)}`]);
  }
}
