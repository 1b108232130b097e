import type { AuditService } from "../../audit/service.js";
import type { Database } from "../../database/db.js";
import type { Notifications } from "../../database/pool/notifications.js";
import type { Clock } from "../../node/clock.js";
import type { NodeSettings } from "../../node/config.js";
import { RelayError } from "../../protocol/errors.js";
import type { OutboxOperations } from "../model/types.js";
import { clearBackoff, endAllHolds } from "./lease-store.js";
import { findDestination, outboxChannel, readBacklogs, removeFirst } from "./store.js";

/** What operators do with the outbox. It works beside a running relay, in its process or in another one. */
export function createOutboxOperations(deps: {
  db: Database;
  clock: Clock;
  audit: Pick<AuditService, "record">;
  notifications: Pick<Notifications, "notify">;
  config: Pick<NodeSettings, "expiryStepRows">;
}): OutboxOperations {
  const { db, clock, audit, notifications, config } = deps;

  const demandWaiting = async (domain: string) => {
    const found = await findDestination(db, domain);
    if (found === undefined || found.messages <= 0) {
      throw new RelayError("NOT_FOUND", "no messages are waiting for this server");
    }
    return found;
  };

  return {
    backlogs: readBacklogs,
    async retry(domain, by) {
      const { messages } = await demandWaiting(domain);
      await db.transaction(async (trx) => {
        await endAllHolds(trx, { domain, nowMillis: clock.nowMillis() });
        await clearBackoff(trx, { domain, nowMillis: clock.nowMillis() });
        await audit.record(trx, { action: "outbox_retried", target: domain, details: { messages }, ...by });
      });
      notifications.notify(outboxChannel, "");
    },
    async purge(domain, by) {
      const { last_position: upTo, messages } = await demandWaiting(domain);
      await audit.record(db, { action: "outbox_purged", target: domain, details: { messages }, ...by });
      let purged = 0;
      for (;;) {
        const removed = await removeFirst(db, { domain, upTo, limit: config.expiryStepRows });
        purged += removed;
        if (removed < config.expiryStepRows) return purged;
      }
    },
  };
}
