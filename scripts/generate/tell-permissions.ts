import type { Contract } from "./contract.js";
import { operationsOf } from "./contract.js";

/** Says in an operation's description which permission it needs, for readers who do not look at extensions. */
export function tellPermissions(contract: Contract): void {
  for (const { operation } of operationsOf(contract)) {
    const permission = operation["x-permission"];
    if (permission === undefined) continue;
    operation.description = `${operation.description ?? ""}\n\nNeeds the permission \`${permission}\`.`.trimStart();
  }
}
