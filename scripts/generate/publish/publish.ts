import type { Contract } from "../contract.js";
import { addDefaultAnswers } from "./default-answers.js";
import { openAnswers } from "./open-answers.js";
import { plainLinks } from "./plain-links.js";
import { plainSchemas } from "./plain-schemas.js";

/**
 * The contract as it is published: what every generator of clients can take. It promises the same as the closed contract,
 * which the relay and its tests hold themselves to, in fewer words, and leaves answers room to grow.
 */
export function published(closed: Contract): Contract {
  const contract = structuredClone(closed);
  addDefaultAnswers(contract);
  plainLinks(contract);
  openAnswers(contract);
  plainSchemas(contract);
  return contract;
}
