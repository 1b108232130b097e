import type { Catalogue } from "./catalogue.js";
import type { Contract, Operation } from "./contract.js";
import { operationsOf } from "./contract.js";

const sharedLink =
  "People send this address to each other. A request that accepts `text/html`, or that comes from a program that previews " +
  "links, is answered 406 with a page, or 303 to an application, and consumes no use, unless it accepts `application/json` or " +
  "`application/octet-stream` by name. The query parameters `utm_*`, `fbclid`, `gclid`, `msclkid`, `igshid`, `mc_cid` and " +
  "`mc_eid` are ignored.";

/** Repeats extensions in the descriptions of operations, for readers who do not look at extensions. */
export function describeExtensions(contract: Contract, catalogue: Catalogue): void {
  for (const { operation } of operationsOf(contract)) {
    const permission = operation["x-permission"];
    if (permission !== undefined) append(operation, `Needs the permission \`${permission}\`.`);
    const errors = (operation["x-errors"] ?? []).map((id) => catalogue.get(id)?.error ?? id);
    if (errors.length > 0) append(operation, errorsSentence(errors));
    const limits = operation["x-rate-limits"];
    if (limits !== undefined) append(operation, limitsSentence(limits));
    if (operation["x-head"] === true) append(operation, "`HEAD` is answered like `GET`, without the body.");
    if (operation["x-shared-link"] === true) append(operation, sharedLink);
  }
}

function errorsSentence(names: readonly string[]): string {
  const quoted = [...new Set(names)].map((name) => `\`${name}\``).join(", ");
  return `Errors besides those that any request can meet: ${quoted}.`;
}

function limitsSentence(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  const list = [quoted.slice(0, -1).join(", "), quoted.at(-1)].filter((part) => part !== "").join(" and ");
  const limits = names.length === 1 ? `the limit ${list}` : `the limits ${list}`;
  return `Requests are counted by ${limits}. Answers say in \`RateLimit\` what is left, unless they were made before counting.`;
}

function append(operation: Operation, sentence: string): void {
  operation.description = `${operation.description ?? ""}\n\n${sentence}`.trimStart();
}
