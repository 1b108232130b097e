import type { Knex } from "knex";
import type { AuditService } from "../../audit/service.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Config } from "../../platform/config/config.js";
import { inTransaction } from "../../platform/database/connection.js";
import type { Notifications } from "../../platform/database/notifications.js";
import { RelayError } from "../../protocol/errors.js";
import { outboxChannel } from "./lease.js";
import { clearBackoff, endAllHolds } from "./lease-store.js";
import type { OutboxCommands } from "./outbox.js";
import { findDestination, readBacklogs, removeFirst } from "./store.js";

/** The deeds of operators. They work beside a relay that runs, in this process or in others. */
export function createOutboxCommands(deps: {
  db: Knex;
  clock: Clock;
  audit: Pick<AuditService, "record">;
  notifications: Pick<Notifications, "notify">;
  config: Pick<Config, "expiryStepRows">;
}): OutboxCommands {
  const { db, clock, audit, notifications, config } = deps;

  const demand = async (domain: string) => {
    const found = await findDestination(db, domain);
    if (found === undefined || found.messages <= 0) throw new RelayError("NOT_FOUND", "nothing waits for this server");
    return found;
  };

  return {
    backlogs: readBacklogs,
    async retry(domain, by) {
      const { messages } = await demand(domain);
      await inTransaction(db, async (trx) => {
        await endAllHolds(trx, domain);
        await clearBackoff(trx, { domain, nowMillis: clock.nowMillis() });
        await audit.record(trx, { action: "outbox_retried", target: domain, details: { messages }, ...by });
      });
      notifications.notify(outboxChannel, "");
    },
    async purge(domain, by) {
      const { last_position: upTo, messages } = await demand(domain);
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
