import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashesByLastByte, postgresHash } from "../../src/database/postgres-hash.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
});

afterAll(() => database.drop());

describe("the hash that decides a row's shard", () => {
  it("is PostgreSQL's for texts of every length", async () => {
    const texts = Array.from({ length: 80 }, (_, i) => randomBytes(i).toString("hex").slice(0, i));
    const found = await database.db.rows<{ hash: number }>(
      "select hashtext(t.text) as hash from unnest(:texts::text[]) with ordinality as t (text, n) order by n",
      { texts },
    );
    expect(texts.map((text) => postgresHash(Buffer.from(text)))).toEqual(found.map(({ hash }) => hash));
  });

  it("is PostgreSQL's for UUIDs", async () => {
    const uuids = Array.from({ length: 50 }, () => randomUUID());
    const found = await database.db.rows<{ hash: number }>(
      "select uuid_hash(u.uuid) as hash from unnest(:uuids::uuid[]) with ordinality as u (uuid, n) order by n",
      { uuids },
    );
    const bytes = uuids.map((uuid) => Buffer.from(uuid.replaceAll("-", ""), "hex"));
    const hashes = found.map(({ hash }) => hash);
    expect(bytes.map(postgresHash)).toEqual(hashes);
    const otherwiseEnding = bytes.map((one) => Buffer.from([...one.subarray(0, 15), 255 - (one[15] ?? 0)]));
    expect(otherwiseEnding.map((one, i) => hashesByLastByte(one)(bytes[i]?.[15] ?? 0))).toEqual(hashes);
  });
});
