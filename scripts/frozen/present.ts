import { migrations } from "../../src/database/migrations/list.js";
import { hashContract, type Present } from "./manifest.js";
import { frozenMigrations } from "./migrations.js";
import { signedTexts } from "./signed-texts.js";
import { storedForms } from "./stored-forms.js";

/** What these sources promise. `contract` is the folder with the contract. */
export async function readPresent(contract: URL): Promise<Present> {
  return {
    contract: await hashContract(contract),
    migrations: frozenMigrations(migrations),
    forms: [...signedTexts, ...storedForms],
  };
}
