import { createSecrets } from "../../src/auth/secrets.js";
import { createIpHashes } from "../../src/limits/ip-hash.js";
import { createRateLimiter, type RateLimiter } from "../../src/limits/rate-limiter.js";
import type { TrustFixture } from "./trust.js";

/** The rate limiter of a service that a test creates directly. */
export function createTestRateLimiter(
  deps: Pick<TrustFixture, "db" | "masterKey" | "random" | "clock" | "isTimeSound" | "config">,
): RateLimiter {
  return createRateLimiter({ ...deps, ipHashes: createIpHashes(deps), secrets: createSecrets(deps) });
}
