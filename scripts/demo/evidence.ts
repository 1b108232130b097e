import { createDatabase } from "../../src/database/pool/pool.js";

/** What a search for a byte string found: rows with a ciphertext, their bytes in all, and those that contain the string. */
interface Evidence {
  stored: number;
  bytes: number;
  found: number;
}

/** Searches all ciphertexts of a table of the relay for byte strings. */
export async function searchCiphertexts(
  databaseUrl: string,
  table: "messages" | "provisioning_addresses",
  needles: readonly Uint8Array[],
): Promise<Evidence[]> {
  const db = createDatabase({ url: databaseUrl, poolSize: 1 });
  const search = `select count(*)::int as stored,
                         coalesce(sum(length(ciphertext)), 0)::int as bytes,
                         count(*) filter (where position(:needle::bytea in ciphertext) > 0)::int as found
                    from ${table}
                   where ciphertext is not null`;
  try {
    const evidence: Evidence[] = [];
    for (const needle of needles) {
      evidence.push(...(await db.rows<Evidence>(search, { needle: Buffer.from(needle) })));
    }
    return evidence;
  } finally {
    await db.close();
  }
}
