// The control: nothing is wrong here.
import type { DiscoveryHandlers, Handler } from "../../../generated/handlers.js";

type Some = "getDiscovery" | "getSigningKeys" | "getHealthz" | "getReadyz";

export const handlers: Pick<DiscoveryHandlers, Some> = {
  getDiscovery: async () => {
    throw new Error("errors are thrown");
  },
  getSigningKeys: async (call) =>
    call.reply({ status: 200, headers: { "Cache-Control": "no-store" }, body: { keys: [] } }),
  getHealthz: async (call) => call.reply({ status: 200, body: { status: "ok" } }),
  getReadyz: async (call) => call.reply({ status: 200, type: "application/json", body: { status: "ok" } }),
};

export const acknowledge: Handler<"acknowledgeMessage"> = async (call) => {
  const named: string[] = [call.params.message_id, call.principal.deviceId, call.principal.sessionId];
  return call.reply({ status: 200, body: { acknowledged: named.length > 2 } });
};
