import { createDatabase, rows } from "../../platform/database/connection.js";

/** The result of a search in the relay's queues. */
export interface Evidence {
  messages: number;
  bytes: number;
  /** For each searched byte string, the number of stored messages that contain it. */
  found: number[];
}

interface Hit {
  messages: number;
  bytes: number;
  hits: number;
}

/** Searches all queued messages for byte strings. */
export async function searchQueues(databaseUrl: string, needles: readonly Uint8Array[]): Promise<Evidence> {
  const db = createDatabase({ url: databaseUrl, poolSize: 1 });
  const evidence: Evidence = { messages: 0, bytes: 0, found: [] };
  try {
    for (const needle of needles) {
      const [hit] = await rows<Hit>(
        db,
        `select count(*)::int as messages,
                coalesce(sum(length(ciphertext)), 0)::int as bytes,
                count(*) filter (where position(:needle::bytea in ciphertext) > 0)::int as hits
           from messages`,
        { needle: Buffer.from(needle) },
      );
      evidence.messages = hit?.messages ?? 0;
      evidence.bytes = hit?.bytes ?? 0;
      evidence.found.push(hit?.hits ?? 0);
    }
    return evidence;
  } finally {
    await db.destroy();
  }
}

/** Searches every stored provisioning blob for a byte string; `found` counts the blobs that contain it. */
export async function searchLinkingBlobs(
  databaseUrl: string,
  needle: Uint8Array,
): Promise<{ blobs: number; bytes: number; found: number }> {
  const db = createDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const [hit] = await rows<{ blobs: number; bytes: number; found: number }>(
      db,
      `select count(*)::int as blobs,
              coalesce(sum(length(ciphertext)), 0)::int as bytes,
              count(*) filter (where position(:needle::bytea in ciphertext) > 0)::int as found
         from provisioning_addresses
        where ciphertext is not null`,
      { needle: Buffer.from(needle) },
    );
    return hit ?? { blobs: 0, bytes: 0, found: 0 };
  } finally {
    await db.destroy();
  }
}
