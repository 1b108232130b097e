import { createPublicKey, verify } from "node:crypto";
import { decodeMlsMessage } from "ts-mls";
import { createDatabase } from "../../src/database/pool/pool.js";
import { decodeHex, encodeHex } from "../../src/protocol/encodings.js";
import type { Day } from "./day.js";

/** A row of any table, with each value as PostgreSQL writes it into JSON. */
interface Row {
  table: string;
  transaction: string;
  values: Readonly<Record<string, unknown>>;
}

/** What a thief finds about stored messages without any secret. */
interface Findings {
  /** The signature of a message was made by a key that the thief has: the message's id and the key's device. */
  senders: { id: string; device: string }[];
  /** The ciphertext names its group and epoch. */
  epochs: { id: string; group: string; epoch: bigint }[];
  /** Equal values in two rows, one of which is of a message or a slot: `table.column`. */
  equal: string[];
  /** Eight bytes of a message or a slot that are elsewhere, too, or in an id: where, and in what. */
  sharedBytes: string[];
}

/** What the rows of messages and slots still show. */
interface Shown {
  messages: number;
  /** Their recipients: devices here, and addresses elsewhere. */
  recipients: number;
  /** Seconds past the minute, by the sender's clock. */
  secondsOfSender: number[];
  receivedAt: number;
  lengths: number[];
  /** How many messages each transaction has stored. */
  stored: number[];
  /** How many ciphertexts begin with each byte. */
  firstBytes: Record<number, number>;
}

/** Columns that tell who receives a message, and when, or that all rows share. The thief reads those anyway. */
const shown: Readonly<Record<string, readonly string[]>> = {
  messages: ["device_id", "position", "sent_at", "received_at", "expires_at", "system_event", "delivered_out_of_order"],
  outbox: [
    "domain",
    "position",
    "recipient",
    "sent_at",
    "accepted_at",
    "expires_at",
    "has_lifetime",
    "system_event",
    "shared_position",
  ],
  slots: ["slot_key", "expires_at", "forget_at"],
};
const windowBytes = 8;
/** The time of a UUIDv7. */
const timeBytes = 6;

/** Everything that is stored. */
export async function dump(databaseUrl: string): Promise<Row[]> {
  const db = createDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const tables = await db.rows<{ name: string }>(
      `select c.relname as name from pg_class as c
       where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`,
    );
    const rows: Row[] = [];
    for (const { name } of tables) {
      const found = await db.rows<{ transaction: string; values: Row["values"] }>(
        `select t.xmin::text as transaction, to_jsonb(t) as values from ${name} as t`,
      );
      rows.push(...found.map((row) => ({ table: name, ...row })));
    }
    return rows;
  } finally {
    await db.close();
  }
}

export function search(rows: readonly Row[], { leafKeys, ids }: Pick<Day, "leafKeys" | "ids">): Findings {
  const messages = rows.filter(isMessage);
  return {
    senders: messages.flatMap((row) => {
      const signer = keysIn(rows, leafKeys).find(({ key }) => isSigned(row, key));
      return signer === undefined ? [] : [{ id: idOf(row), device: signer.device }];
    }),
    epochs: messages.flatMap((row) => {
      const read = readMls(bytesOf(row.values["ciphertext"]));
      return read === undefined ? [] : [{ id: idOf(row), ...read }];
    }),
    equal: findEqual(rows),
    sharedBytes: findSharedBytes(rows, ids),
  };
}

export function describe(rows: readonly Row[]): Shown {
  const messages = rows.filter(isMessage);
  const ciphertexts = messages.map(({ values }) => bytesOf(values["ciphertext"]));
  const numbers = (name: string) => messages.map(({ values }) => Number(values[name]));
  const distinct = (values: readonly number[]) => [...new Set(values)].sort((a, b) => a - b);
  const recipients = messages.map(({ values }) => String(values["device_id"] ?? values["recipient"]));
  return {
    messages: messages.length,
    recipients: new Set(recipients).size,
    secondsOfSender: distinct(numbers("sent_at").map((time) => time % 60)),
    receivedAt: new Set(messages.map(({ values }) => values["received_at"] ?? values["accepted_at"])).size,
    lengths: distinct(ciphertexts.map(({ length }) => length)),
    stored: [...countBy(messages.map(({ transaction }) => transaction)).values()],
    firstBytes: Object.fromEntries(countBy(ciphertexts.map(([first]) => first as number))),
  };
}

function isMessage({ table }: Row): boolean {
  return table === "messages" || table === "outbox";
}

/** The keys of devices are in the database as well. */
function keysIn(rows: readonly Row[], leafKeys: Day["leafKeys"]): Day["leafKeys"] {
  const devices = rows.filter(({ table }) => table === "devices");
  const own = devices.map(({ values }) => ({
    key: bytesOf(values["public_key"]),
    device: String(values["device_id"]),
  }));
  return [...own, ...leafKeys];
}

function isSigned({ values }: Row, key: Uint8Array): boolean {
  const signature = decodeHex(String(values["sender_signature"]), 64);
  const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(key).toString("base64url") };
  const publicKey = createPublicKey({ key: jwk, format: "jwk" });
  return signature !== undefined && verify(null, bytesOf(values["ciphertext"]), publicKey, signature);
}

/** Group and epoch of a bare MLS message; of a Welcome nothing is known. */
function readMls(ciphertext: Uint8Array): { group: string; epoch: bigint } | undefined {
  try {
    const message = decodeMlsMessage(ciphertext, 0)?.[0];
    if (message?.wireformat !== "mls_private_message") return undefined;
    const { groupId, epoch } = message.privateMessage;
    return { group: new TextDecoder().decode(groupId), epoch };
  } catch {
    return undefined;
  }
}

/** The values of a message or a slot that should say nothing. */
function silentValues({ table, values }: Row): [column: string, value: unknown][] {
  const columns = shown[table];
  if (columns === undefined) return [];
  return Object.entries(values).filter(([column, value]) => !columns.includes(column) && value !== null);
}

function findEqual(rows: readonly Row[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const [index, { values }] of rows.entries())
    for (const value of Object.values(values)) {
      const text = JSON.stringify(value);
      places.set(text, (places.get(text) ?? new Set()).add(String(index)));
    }
  const found = rows.flatMap((row) =>
    silentValues(row)
      .filter(([, value]) => (places.get(JSON.stringify(value))?.size ?? 0) > 1)
      .map(([column]) => `${row.table}.${column}`),
  );
  return [...new Set(found)].sort();
}

function findSharedBytes(rows: readonly Row[], ids: Day["ids"]): string[] {
  const owners = new Map<string, string>();
  const found = new Set<string>();
  const look = (bytes: Uint8Array, owner: string, what: string, isSilent: boolean): void => {
    for (let at = 0; at + windowBytes <= bytes.length; at++) {
      const text = encodeHex(bytes.subarray(at, at + windowBytes));
      const other = owners.get(text);
      if (other === undefined && isSilent) owners.set(text, owner);
      else if (other !== undefined && other !== owner) found.add(`${other.split("#")[0]} in ${what}`);
    }
  };
  for (const [index, row] of rows.entries())
    for (const [column, value] of silentValues(row)) {
      const bytes = column === "message_id" ? bytesOf(value).subarray(timeBytes) : bytesOf(value);
      look(bytes, `${row.table}.${column}#${index}`, `${row.table}.${column}`, true);
    }
  for (const { table, values } of rows)
    if (shown[table] === undefined)
      for (const [column, value] of Object.entries(values))
        look(bytesOf(value), "", `${table.replace(/_\d+.*/, "")}.${column}`, false);
  for (const [name, bytes] of ids) look(bytes, "", name.split(" ")[0] ?? "", false);
  return [...found].sort();
}

/** The bytes that a value stands for: of `bytea`, of a UUID, of hexadecimal text, or of the text itself. */
function bytesOf(value: unknown): Uint8Array {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? "");
  const hex = text.startsWith("\\x")
    ? text.slice(2)
    : text.replace(/^(\w{8})-(\w{4})-(\w{4})-(\w{4})-(\w{12})$/, "$1$2$3$4$5");
  return new Uint8Array((hex.length >= 32 ? decodeHex(hex) : undefined) ?? Buffer.from(text));
}

function idOf({ values }: Row): string {
  return String(values["message_id"]);
}

function countBy<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
