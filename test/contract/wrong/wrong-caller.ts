import type { Handler } from "../../../generated/handlers.js";

export const refresh: Handler<"refreshDeviceToken"> = async (call) => {
  throw new Error(call.principal.permissions.join());
};
