import { migrations } from "../../src/database/migrations/list.js";
import { withEmptyDatabase } from "../schema/empty-database.js";
import { hashContract, type Present } from "./manifest.js";
import { frozenMigrations } from "./migrations.js";
import { signedTexts } from "./signed-texts.js";
import { storedForms } from "./stored-forms.js";

/** What these sources promise. `contract` is the folder with the contract. */
export async function readPresent(contract: URL): Promise<Present> {
  return {
    contract: await hashContract(contract),
    migrations: await withEmptyDatabase((db) => frozenMigrations(db, migrations)),
    forms: [...signedTexts, ...storedForms],
  };
}
