import type { Message } from "../groups/index.js";
import { t } from "./texts.js";

/** How far a message of the user has got: what one of the others has said counts for all. */
export function deliveryOf({ delivery, receipts }: Message): string {
  const told = Object.values(receipts);
  if (told.includes("read")) return t.read;
  if (told.includes("delivered")) return t.delivered;
  return delivery?.state === "waiting" ? t.pending : t.sent;
}
