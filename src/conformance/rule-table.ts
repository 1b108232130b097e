import { clientRules } from "./clients/rules.js";
import { groupsRules } from "./groups/rules.js";
import { describePlace, placeOf } from "./places.js";
import { rules } from "./rules.js";
import { specificationRules } from "./specification/suite.js";

/** A rule as the table of rules lists it. */
export interface RuleRow {
  /** What it checks: a server, a server by the specification alone, a client, or a groups program. */
  part: "server" | "specification" | "client" | "groups";
  id: string;
  title: string;
  /** Where it is written. */
  source: string;
  /** The section of the specification, or what announces the extension; of a groups program, the subject. */
  place: string;
}

/** Every rule of the suite. */
export function tableOfRules(): RuleRow[] {
  const ofServers = rules.map((rule) => ({
    ...{ part: "server" as const, id: rule.id, title: rule.title, source: rule.source },
    place: describePlace(placeOf(rule)),
  }));
  const ofSpecification = specificationRules.map(({ id, title, section }) => ({
    ...{ part: "specification" as const, id, title, source: `specification, ${section}` },
    place: section,
  }));
  const ofClients = clientRules.map(({ id, title, source, place }) => ({
    part: "client" as const,
    ...{ id, title, source, place },
  }));
  const ofGroups = groupsRules.map(({ check: _, ...rule }) => ({ part: "groups" as const, ...rule }));
  return [...ofServers, ...ofSpecification, ...ofClients, ...ofGroups];
}
