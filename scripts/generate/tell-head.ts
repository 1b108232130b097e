import type { Contract } from "./contract.js";
import { operationsOf } from "./contract.js";

/** Says in an operation's description that HEAD is answered as well, for readers who do not look at extensions. */
export function tellHead(contract: Contract): void {
  for (const { operation } of operationsOf(contract)) {
    if (operation["x-head"] !== true) continue;
    const told = "`HEAD` is answered like `GET`, without the body.";
    operation.description = `${operation.description ?? ""}\n\n${told}`.trimStart();
  }
}
