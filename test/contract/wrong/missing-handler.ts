import type { DiscoveryHandlers, Handler } from "../../../generated/handlers.js";

declare const probe: Handler<"getHealthz">;
declare const document: Handler<"getDiscovery">;
declare const keys: Handler<"getSigningKeys">;

export const handlers: DiscoveryHandlers = { getDiscovery: document, getSigningKeys: keys, getHealthz: probe };
