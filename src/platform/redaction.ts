/**
 * Redacts objects before they are logged. A member whose name is listed here never reaches the log, however deeply
 * nested, so code that logs an object need not consider every member. Device ids are shortened.
 */
const redactedNames = new Set(
  [
    ["authorization", "cookie", "set-cookie", "proxy-authorization", "x-revocation-token", "x-poll-token"],
    ["token", "access_token", "admin_token", "federation_token", "poll_token", "revocation_token", "jwt"],
    ["mls_ciphertext", "ciphertext", "signature", "sender_signature", "challenge_signature", "challenge", "nonce"],
    ["address", "addresses", "recipient", "recipient_address", "recipients", "prefix", "prefixes"],
    ["delivery_address", "delivery_address_prefixes", "announced_addresses", "full_address"],
    ["ip", "ips", "ip_address", "ip_key", "remote_address", "peer_address", "x-forwarded-for", "client_ip"],
    [
      "invite",
      "invite_code",
      "invite_handle",
      "url",
      "original_url",
      "query",
      "search",
      "params",
      "body",
      "payload",
      "content",
    ],
    ["bindings", "values", "parameters", "sql", "password", "secret", "secrets", "key", "keys", "private_key"],
    ["decryption_key", "master_key", "connection_string", "database_url", "qr_data"],
  ]
    .flat()
    .map(plainName),
);

const deviceNames = new Set(["device_id", "sender_id", "device", "sub", "subject"].map(plainName));
const censor = "[redacted]";
const deepest = 6;
const longestList = 20;

/** Enough of a device id to distinguish devices in a log. */
export function shortDevice(deviceId: string): string {
  return deviceId.slice(0, 8);
}

/** A copy of an object for the log, without the redacted members. */
export function redact(record: Record<string, unknown>): Record<string, unknown> {
  return redactMembers(record, 0);
}

function redactMembers(record: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) copy[name] = redactMember(name, value, depth);
  return copy;
}

function redactMember(name: string, value: unknown, depth: number): unknown {
  const plain = plainName(name);
  if (redactedNames.has(plain)) return value === null || value === undefined ? value : censor;
  if (deviceNames.has(plain) && typeof value === "string") return shortDevice(value);
  return redactValue(value, depth);
}

function redactValue(value: unknown, depth: number): unknown {
  if (value instanceof Error) return describeError(value, depth);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= deepest || ArrayBuffer.isView(value)) return censor;
  if (Array.isArray(value)) return value.slice(0, longestList).map((item) => redactValue(item, depth + 1));
  return redactMembers(value, depth + 1);
}

/**
 * An error as the log shows it. Database errors quote values in message and detail, so only their code, their location
 * and the names of table and constraint are kept.
 */
function describeError(error: Error, depth: number): Record<string, unknown> {
  const { code, severity, table, constraint, routine, id } = error as Error & Record<string, unknown>;
  const database = typeof severity === "string";
  const description: Record<string, unknown> = {
    type: error.name,
    message: database ? `the database answered ${severity} ${String(code)}` : error.message,
    ...Object.fromEntries(
      Object.entries({ id, code, table, constraint, routine }).filter(([, value]) => typeof value === "string"),
    ),
    stack: framesOf(error),
  };
  if (error.cause !== undefined && depth < deepest) description["cause"] = redactValue(error.cause, depth + 1);
  return description;
}

/** The stack without its first lines, which repeat the message. */
function framesOf(error: Error): string {
  const lines = (error.stack ?? "").split("\n");
  return lines.filter((line) => line.startsWith("    at ")).join("\n");
}

function plainName(name: string): string {
  return name.replaceAll(/[-_]/g, "").toLowerCase();
}
