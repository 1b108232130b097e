import type { Database, Db } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { Random } from "../platform/random.js";
import type { MasterKey } from "./master-key.js";

/** Named secrets that all nodes share; the first node that asks creates them. */
export type Secrets = ReturnType<typeof createSecrets>;

const secretBytes = 32;

/** Keeps the secrets in the table `secrets`, sealed under the master key, and in memory once read. */
export function createSecrets(deps: { db: Database; masterKey: MasterKey; random: Random; clock: Clock }) {
  const known = new Map<string, Promise<Uint8Array>>();

  const readOrMake = async (db: Db, name: string): Promise<Uint8Array> => {
    const purpose = `secret ${name}`;
    const draft = deps.masterKey.seal(purpose, deps.random.bytes(secretBytes));
    await insertSecret(db, { name, sealed: draft, now: deps.clock.nowSeconds() });
    return deps.masterKey.open(purpose, await readSecret(db, name));
  };

  return {
    /** 32 random bytes, the same for every caller of this name on every node. */
    get(name: string): Promise<Uint8Array> {
      const found = known.get(name);
      if (found !== undefined) return found;
      const promise = readOrMake(deps.db, name);
      known.set(name, promise);
      promise.catch(() => known.delete(name));
      return promise;
    },
    /**
     * Stores again what the database lacks after a failover, since hashes and keys that others have were made from it. What another
     * node has made meanwhile is taken over.
     */
    async putBack(): Promise<void> {
      const kept = [...known];
      known.clear();
      for (const [name, secret] of kept) {
        const sealed = deps.masterKey.seal(`secret ${name}`, await secret);
        await insertSecret(deps.db, { name, sealed, now: deps.clock.nowSeconds() });
      }
    },
    /** The same in a transaction, which reads the secret anew: another node may have replaced it. */
    getIn: readOrMake,
  };
}

/** Removes secrets, for a restored database: the next call creates new ones. No relay may be running. */
export async function deleteSecrets(db: Db, names: readonly string[]): Promise<void> {
  await db.run("delete from secrets where name = any(:names::text[])", { names });
}

async function insertSecret(db: Db, secret: { name: string; sealed: Buffer; now: number }): Promise<void> {
  const sql = `
    insert into secrets (name, sealed, created_at)
    values (:name::text, :sealed::bytea, :now::bigint)
    on conflict (name) do nothing`;
  await db.run(sql, secret);
}

async function readSecret(db: Db, name: string): Promise<Buffer> {
  const found = await db.rows<{ sealed: Buffer }>("select sealed from secrets where name = :name::text", { name });
  if (found[0] === undefined) throw new Error(`the secret ${name} is gone`);
  return found[0].sealed;
}
