import type { AuditService, Operator } from "../audit/service.js";
import type { Sessions } from "../auth/ended-sessions.js";
import type { Database, Transaction } from "../database/db.js";
import { type DevicesService, deviceNotFound, requireDevice } from "../devices/service.js";
import { pardonReports } from "../moderation/service.js";
import type { Clock } from "../node/clock.js";
import { shortDevice } from "../platform/redaction.js";
import { type DeviceId, deviceIdCandidates } from "../protocol/identifiers.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import type { PushService } from "../push/service.js";

/** What an administrator or the operator did to a device. `at` is in Unix seconds. */
interface DeviceActionDone {
  deviceId: DeviceId;
  at: number;
}

/** Blocks and removals of devices. Each is recorded in the transaction that performs it. */
export type DeviceActions = ReturnType<typeof createDeviceActions>;

interface DeviceActionsDeps {
  db: Database;
  clock: Clock;
  devices: Pick<DevicesService, "resolve" | "lock" | "block" | "unblock" | "remove">;
  push: Pick<PushService, "test">;
  sessions: Pick<Sessions, "endOfDevices">;
  audit: Pick<AuditService, "record">;
}

export function createDeviceActions({ db, clock, devices, push, sessions, audit }: DeviceActionsDeps) {
  const lock = async (trx: Transaction, spelled: string) => requireDevice(await devices.lock(trx, spelled));
  return {
    /** Blocks a device; a device that is already blocked keeps its date. Throws DEVICE_NOT_FOUND. */
    block: (spelled: string, reason: string | undefined, by: Operator): Promise<DeviceActionDone> =>
      db.transaction(async (trx) => {
        const { deviceId, blockedAt } = await lock(trx, spelled);
        const at = blockedAt ?? clock.nowSeconds();
        await devices.block(trx, deviceId, at);
        const details = reason === undefined ? {} : { reason };
        await audit.record(trx, { ...by, action: "device_blocked", target: deviceId, details });
        return { deviceId, at };
      }),
    /** Lifts the block and the ban, also for a removed device. No request leads here. Throws DEVICE_NOT_FOUND. */
    unblock: (spelled: string, by: Operator): Promise<DeviceActionDone> =>
      db.transaction(async (trx) => {
        const known = await devices.lock(trx, spelled);
        const candidates = known === undefined ? deviceIdCandidates(spelled) : [known.deviceId];
        for (const deviceId of candidates) {
          if (!(await devices.unblock(trx, deviceId))) continue;
          // Otherwise the next report would restore the block.
          await pardonReports(trx, deviceId);
          await audit.record(trx, { ...by, action: "device_unblocked", target: deviceId, details: {} });
          return { deviceId, at: clock.nowSeconds() };
        }
        throw deviceNotFound();
      }),
    /** Removes a device with everything about it, and ends its sessions. Throws DEVICE_NOT_FOUND. */
    delete: (spelled: string, by: Operator): Promise<DeviceActionDone> =>
      db.transaction(async (trx) => {
        const { deviceId } = await lock(trx, spelled);
        await devices.remove(trx, deviceId);
        await sessions.endOfDevices(trx, [deviceId]);
        // The audit log keeps only enough of a removed device to distinguish it from others.
        await audit.record(trx, { ...by, action: "device_deleted", target: shortDevice(deviceId), details: {} });
        return { deviceId, at: clock.nowSeconds() };
      }),
    /** Pushes a test to a device and returns what its push service said. Throws DEVICE_NOT_FOUND, and what a device's own test throws. */
    async testPush(spelled: string, by: Operator, observer?: LimitObserver) {
      const { deviceId } = requireDevice(await devices.resolve(db, spelled));
      const answer = await push.test(deviceId, observer);
      const details = { status_class: answer.statusClass };
      await db.transaction((trx) =>
        audit.record(trx, { ...by, action: "device_push_tested", target: deviceId, details }),
      );
      return answer;
    },
  };
}
