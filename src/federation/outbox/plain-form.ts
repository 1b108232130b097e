// What a peer refuses as a whole is sent again in the form that the specification names, before anything else is tried.

import type { OutgoingTransaction } from "./outgoing-transaction.js";
import type { DeliveryForm } from "./stored-transaction.js";

/** Exactly what the specification names: every peer takes it. */
export const plainForm: DeliveryForm = { shares: false, attached: false, tags: false, events: false, lifetimes: false };

/** Whether a refused transaction had more than the plain form. If the peer may have stored messages of it (`inDoubt`), their tags are no reason. */
export function hadMore({ transaction, extended }: OutgoingTransaction, { inDoubt }: { inDoubt: boolean }): boolean {
  const { shares, attached, events } = transaction.form;
  return inDoubt ? shares || attached || events : extended;
}
