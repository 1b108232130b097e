import { createHash } from "node:crypto";
import { type AuditService, bySystem } from "../audit/service.js";
import type { Database, Db } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { ServerConfig } from "../platform/config/server.js";
import type { Random } from "../platform/random.js";
import { RelayError } from "../protocol/errors.js";
import { minuteSeconds } from "../protocol/units.js";
import { insertLink, takeLink } from "./session-store.js";
import { requireAdministrator } from "./store.js";

/** A link that signs a browser in once. `expiresAt` is in Unix seconds. */
interface ConsoleLink {
  url: string;
  deviceId: string;
  expiresAt: number;
}

/** Links that the operator makes on the server's machine (`mls-relay console`). */
export type ConsoleLinks = ReturnType<typeof createConsoleLinks>;

const linkLifetimeSeconds = 5 * minuteSeconds;
const codeBytes = 32;

/** The database stores only a hash of a code, so that nobody who reads a backup can use it. */
export function createConsoleLinks(deps: {
  db: Database;
  clock: Clock;
  random: Random;
  audit: Pick<AuditService, "record">;
  config: Pick<ServerConfig, "baseUrl">;
}) {
  const { db, clock, random, audit, config } = deps;
  return {
    /**
     * Makes a link in the name of an administrator (undefined: the longest-serving one). Throws an Error if there is no
     * such administrator.
     */
    async make(wanted: string | undefined): Promise<ConsoleLink> {
      const deviceId = await requireAdministrator(db, wanted);
      const code = Buffer.from(random.bytes(codeBytes)).toString("base64url");
      const expiresAt = clock.nowSeconds() + linkLifetimeSeconds;
      await db.transaction(async (trx) => {
        await insertLink(trx, { codeHash: hashOf(code), deviceId, expiresAt });
        const entry = { action: "admin_link_created" as const, target: deviceId, details: { expires_at: expiresAt } };
        await audit.record(trx, { ...bySystem, ...entry });
      });
      // A fragment is not sent to servers, so no access log contains the code.
      return { url: `${config.baseUrl}/console/#/link?code=${code}`, deviceId, expiresAt };
    },
    /** Uses up a code, in the caller's transaction, and returns the administrator. Throws CHALLENGE_EXPIRED. */
    async redeem(trx: Db, code: string): Promise<string> {
      const deviceId = await takeLink(trx, { codeHash: hashOf(code), now: clock.nowSeconds() });
      if (deviceId === undefined) throw new RelayError("CHALLENGE_EXPIRED", "the link has expired or was used before");
      return deviceId;
    },
  };
}

function hashOf(code: string): Uint8Array {
  return createHash("sha256").update(code).digest();
}
