import type { DiscoveryHandlers } from "../../../generated/handlers.js";

declare const others: Omit<DiscoveryHandlers, "getReadyz">;

export const handlers: DiscoveryHandlers = { ...others };
