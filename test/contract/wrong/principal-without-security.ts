import type { Handler } from "../../../generated/handlers.js";

export const probe: Handler<"getHealthz"> = async (call) => {
  console.log(call.principal);
  return call.reply({ status: 200, body: { status: "ok" } });
};
