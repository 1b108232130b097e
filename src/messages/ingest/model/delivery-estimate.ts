import type { DeviceProfile } from "../../model/read-model.js";
import type { QueueState } from "../../queue/counters-store.js";

/** Whether a stream on that node is open, which is the case while the node is alive. */
export type IsAlive = (nodeId: string) => boolean;

/** What a sender is told about the delivery of a queued message. */
export type DeliveryEstimate = "immediate" | "delayed";

/** `immediate` if the recipient has an open stream on any node, unless the device hides its presence. */
export function deliveryEstimate(
  recipient: Pick<DeviceProfile, "hide_presence">,
  { stream_node: node }: Pick<QueueState, "stream_node">,
  isAlive: IsAlive,
): DeliveryEstimate {
  return node !== null && isAlive(node) && !recipient.hide_presence ? "immediate" : "delayed";
}
