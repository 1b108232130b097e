import { createInterface } from "node:readline";
import type { OpSqliteDatabase } from "../../../src/groups/react-native/op-sqlite.js";
import { opSqlite } from "../phone-sqlite.js";

// op-sqlite for an engine without SQLite: reads calls from its input, one a line, and answers each with a line.
type Packed = string | number | { base64: string };

interface Call {
  method: "open" | "execute" | "executeRaw" | "executeBatch" | "close";
  options: { name: string; location: string };
  sql: string;
  values: Packed[];
  statements: [string, Packed[]][];
}

let database: OpSqliteDatabase | undefined;
const boundOf = (values: Packed[]) =>
  values.map((value) => (typeof value === "object" ? bufferOf(Buffer.from(value.base64, "base64")) : value));
const packed = (row: Record<string, unknown>) => {
  const { value } = row;
  return value instanceof ArrayBuffer ? { ...row, value: { base64: Buffer.from(value).toString("base64") } } : row;
};

async function answerTo({ method, options, sql, values, statements }: Call): Promise<object[]> {
  if (method === "open") database = opSqlite.open(options);
  const open = database as OpSqliteDatabase;
  if (method === "execute") return (await open.execute(sql, boundOf(values))).rows.map(packed);
  if (method === "executeRaw") await open.executeRaw(sql);
  if (method === "executeBatch") await open.executeBatch(statements.map(([one, given]) => [one, boundOf(given)]));
  if (method === "close") open.close();
  return [];
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await answerTo(JSON.parse(line)).then(
    (rows) => ({ rows }),
    (problem) => ({ failed: String(problem) }),
  );
  console.log(JSON.stringify(answer));
}
