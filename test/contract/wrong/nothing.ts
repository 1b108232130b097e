// The control: nothing is wrong here.
import type { DiscoveryHandlers } from "../../../generated/handlers.js";

export const handlers: DiscoveryHandlers = {
  getDiscovery: async () => {
    throw new Error("errors are thrown");
  },
  getSigningKeys: async (call) =>
    call.reply({ status: 200, headers: { "Cache-Control": "no-store" }, body: { keys: [] } }),
  getHealthz: async (call) => call.reply({ status: 200, body: { status: "ok" } }),
  getReadyz: async (call) => call.reply({ status: 200, type: "application/json", body: { status: "ok" } }),
};
