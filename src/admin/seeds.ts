import { readFile } from "node:fs/promises";
import { type Config, ConfigError } from "../platform/config/config.js";
import { parsePublicKey } from "../protocol/identifiers.js";
import { isAcceptableKey } from "../protocol/signature.js";
import type { AdminEntry } from "./admin-list.js";
import { readPermissions } from "./permissions.js";

/**
 * The administrators whom the environment names: ADMIN_LIST as `<public key hex>=<permission>+<permission>`, separated
 * by commas, and ADMIN_LIST_FILE as JSON. Throws a ConfigError that names the variable at fault.
 */
export async function readAdminSeeds(config: Pick<Config, "adminList" | "adminListFile">): Promise<AdminEntry[]> {
  const { adminList, adminListFile } = config;
  return [
    ...(adminList === null ? [] : blaming("ADMIN_LIST", () => readList(adminList))),
    ...(adminListFile === null ? [] : await readListFile(adminListFile)),
  ];
}

/** One administrator of a public key in hex and words for permissions. Throws an Error that says what is wrong. */
export function readAdminEntry(publicKeyHex: string, words: readonly string[]): AdminEntry {
  const publicKey = parsePublicKey(publicKeyHex);
  if (publicKey === undefined) throw new Error("a public key must be 64 hexadecimal characters");
  if (!isAcceptableKey(publicKey)) throw new Error(`${publicKeyHex} is no acceptable Ed25519 public key`);
  if (words.length === 0) throw new Error(`${publicKeyHex} is given no permission`);
  return { publicKey, permissions: readPermissions(words) };
}

function readList(text: string): AdminEntry[] {
  const items = text.split(",").map((item) => item.trim());
  return items.filter((item) => item !== "").map(readItem);
}

function readItem(item: string): AdminEntry {
  const [key = "", words = "", ...more] = item.split("=");
  if (more.length > 0) throw new Error("expects <public key hex>=<permission>+<permission>");
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
  return blaming("ADMIN_LIST_FILE", () => readJson(text));
}

function readJson(text: string): AdminEntry[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error("must hold a JSON array");
  return list.map((item: unknown) => {
    const { public_key, permissions } = (item ?? {}) as { public_key?: unknown; permissions?: unknown };
    const isList = Array.isArray(permissions) && permissions.every((word) => typeof word === "string");
    if (typeof public_key !== "string" || !isList) throw new Error("expects public_key and permissions in each entry");
    return readAdminEntry(public_key, permissions);
  });
}

function blaming<T>(variable: string, read: () => T): T {
  try {
    return read();
  } catch (problem) {
    throw new ConfigError([`${variable}: ${problem instanceof Error ? problem.message : String(problem)}`]);
  }
}
