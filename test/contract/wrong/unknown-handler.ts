import type { DiscoveryHandlers } from "../../../generated/handlers.js";

declare const others: DiscoveryHandlers;

export const handlers: DiscoveryHandlers = {
  ...others,
  getWeather: async () => {
    throw new Error("the contract does not name it");
  },
};
