import type { OperationId, Principals } from "../../generated/handlers.js";
import type { CallerCheck } from "../http/operation.js";
import type { Services } from "./services.js";

/** Refuses the long body of a device or server whose rate limit is used up before the body is read. */
export function beforeLongBody({ messages, federation, slots }: Services): Partial<Record<OperationId, CallerCheck>> {
  const maySend: CallerCheck = (principal, { observer }) =>
    messages.refuseSpent((principal as Principals["device"]).deviceId, observer);
  const mayDeliver: CallerCheck = (principal, { params }) =>
    federation.checkBeforeBody({
      ...(principal as Principals["federation"]),
      pathTransactionId: params["transaction_id"],
    });
  const mayTakeSlot: CallerCheck = (principal, { params, bodyBytes, observer }) => {
    const { deviceId } = principal as Principals["device"];
    return slots.checkBeforeBody({ deviceId, slot: params["slot"] ?? "", bodyBytes }, observer);
  };
  const mayAskForSlot: CallerCheck = (principal) => slots.checkPeerBeforeBody(principal as Principals["federation"]);
  return {
    sendMessage: maySend,
    sendMessageBatch: maySend,
    sendMessageToMany: maySend,
    deliverTransaction: mayDeliver,
    takeSlot: mayTakeSlot,
    askSlot: mayAskForSlot,
  };
}
