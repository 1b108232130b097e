import type { Contract } from "../contract.js";
import { addDefaultAnswers } from "./default-answers.js";
import { nameResponsesByStatus } from "./error-responses.js";
import { openAnswers } from "./open-answers.js";
import { plainErrors } from "./plain-errors.js";
import { plainLinks } from "./plain-links.js";
import { plainSchemas } from "./plain-schemas.js";

/**
 * The contract as it is published, which every generator of clients can read. It promises the same as the closed contract,
 * against which the relay and its tests are checked, but allows answers to have new members.
 */
export function published(closed: Contract): Contract {
  const contract = structuredClone(closed);
  nameResponsesByStatus(contract);
  addDefaultAnswers(contract);
  plainErrors(contract);
  plainLinks(contract);
  openAnswers(contract);
  plainSchemas(contract);
  return contract;
}
