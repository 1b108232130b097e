import type { Contract, Operation } from "./contract.js";
import { operationsOf } from "./contract.js";

/** Repeats `x-permission` and `x-head` in the descriptions of operations, for readers who do not look at extensions. */
export function describeExtensions(contract: Contract): void {
  for (const { operation } of operationsOf(contract)) {
    const permission = operation["x-permission"];
    if (permission !== undefined) append(operation, `Needs the permission \`${permission}\`.`);
    if (operation["x-head"] === true) append(operation, "`HEAD` is answered like `GET`, without the body.");
  }
}

function append(operation: Operation, sentence: string): void {
  operation.description = `${operation.description ?? ""}\n\n${sentence}`.trimStart();
}
