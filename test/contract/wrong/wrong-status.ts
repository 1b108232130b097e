import type { Handler } from "../../../generated/handlers.js";

export const probe: Handler<"getHealthz"> = async (call) => call.reply({ status: 201, body: { status: "ok" } });
