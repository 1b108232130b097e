import type { Handler } from "../../../generated/handlers.js";

export const acknowledge: Handler<"acknowledgeMessage"> = async (call) => {
  throw new Error(call.params.id);
};
