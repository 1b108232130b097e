import { loadMasterKey } from "../../src/auth/master-key.js";
import { createSigningKeys } from "../../src/auth/signing-keys.js";
import { createTokens } from "../../src/auth/tokens.js";
import type { Config } from "../../src/composition/config.js";
import type { Database } from "../../src/database/db.js";
import type { Clock } from "../../src/node/clock.js";
import { createSharedPoll } from "../../src/node/shared-poll.js";
import { createLogger } from "../../src/platform/logger.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { type AllowlistedKeys, createInvites, type Invites } from "../../src/registration/invites.js";

/** Makes and checks invites as the relay with this configuration and database does. */
export async function openInvites(
  relay: { config: Config; db: Database; clock: Clock },
  allowlistedKeys: AllowlistedKeys = async () => [],
): Promise<{ invites: Invites; stop(): Promise<void> }> {
  const { config, db, clock } = relay;
  const random = createSystemRandom();
  const logger = createLogger({ level: "silent" });
  const masterKey = await loadMasterKey(config, random);
  const poll = createSharedPoll({ db, logger, everyMillis: config.settingsRefreshMillis });
  const signingKeys = createSigningKeys({ db, masterKey, clock, logger, poll, config });
  await signingKeys.start();
  const tokens = createTokens({ signingKeys, clock, random, domain: config.domain, config });
  const invites = createInvites({ db, clock, random, tokens, domain: config.domain, allowlistedKeys });
  return { invites, stop: () => signingKeys.stop() };
}
