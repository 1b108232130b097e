import { invalidMember } from "../protocol/errors.js";
import type { InfoPackageSettings } from "./config.js";

export type LifetimeConfig = Pick<InfoPackageSettings, "infoPackageMinTtlSeconds" | "infoPackageMaxTtlSeconds">;

/** Checks the server's bounds, which may be narrower than the contract's. Throws INVALID_CONFIG. */
export function checkLifetime(ttlSeconds: number, config: LifetimeConfig): void {
  const { infoPackageMinTtlSeconds: shortest, infoPackageMaxTtlSeconds: longest } = config;
  if (ttlSeconds < shortest || ttlSeconds > longest) {
    throw invalidMember("ttl_seconds", `must be from ${shortest} to ${longest}`, { id: "INVALID_CONFIG" });
  }
}
