import type { Handler } from "../../../generated/handlers.js";

export const probe: Handler<"getHealthz"> = async () => ({ status: 200, body: { status: "ok" } });
