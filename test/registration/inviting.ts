import type { Knex } from "knex";
import type { Clock } from "../../src/platform/clock.js";
import type { Config } from "../../src/platform/config.js";
import { createLogger } from "../../src/platform/logger.js";
import { loadMasterKey } from "../../src/platform/master-key.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { createSigningKeys } from "../../src/platform/signing-keys.js";
import { createTokens } from "../../src/platform/tokens.js";
import { type AllowlistedKeys, createInvites, type Invites } from "../../src/registration/invites.js";

/** Makes and checks invites as the relay with this configuration and database does. */
export async function openInvites(
  relay: { config: Config; db: Knex; clock: Clock },
  allowlistedKeys: AllowlistedKeys = async () => [],
): Promise<{ invites: Invites; stop(): Promise<void> }> {
  const { config: limits, db, clock } = relay;
  const random = createSystemRandom();
  const logger = createLogger({ level: "silent" });
  const masterKey = await loadMasterKey(limits, random);
  const signingKeys = createSigningKeys({ db, masterKey, clock, logger, limits });
  await signingKeys.start();
  const tokens = createTokens({ signingKeys, clock, random, domain: limits.domain, limits });
  const invites = createInvites({ clock, tokens, domain: limits.domain, allowlistedKeys });
  return { invites, stop: () => signingKeys.stop() };
}
