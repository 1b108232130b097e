import type { Knex } from "knex";
import { type Config, ConfigError } from "./config.js";
import { loadMasterKey, type MasterKey, readMasterKey } from "./master-key.js";
import type { Random } from "./random.js";
import { readSealedSample } from "./sealed-sample.js";

/**
 * The master key of this database: the one that was used so far, or a new one where nothing is sealed yet. Nothing is
 * written before that is clear. Throws a ConfigError where the database was set up with another key, or its key is gone.
 */
export async function openMasterKey(given: {
  db: Knex;
  config: Pick<Config, "masterKey" | "masterKeyFile">;
  random: Random;
}): Promise<MasterKey> {
  const { db, config, random } = given;
  const sample = await readSealedSample(db);
  if (sample === undefined) return loadMasterKey(config, random);
  const masterKey = await readMasterKey(config, random);
  if (masterKey === undefined) {
    throw new ConfigError([
      `MASTER_KEY_FILE ${config.masterKeyFile} is not there, and this database was set up with a master key: put it back`,
    ]);
  }
  masterKey.open(sample.purpose, sample.sealed);
  return masterKey;
}
