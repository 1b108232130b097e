import { Command } from "commander";
import { createAuditService } from "../audit/service.js";
import { createDevicesService, type DevicesService } from "../devices/service.js";
import { pardonReports } from "../moderation/service.js";
import { inTransaction } from "../platform/database/connection.js";
import { createNotifications } from "../platform/database/notifications.js";
import { openMasterKey } from "../platform/master-key-rotation.js";
import { createSecrets } from "../platform/secrets.js";
import { deviceIdCandidates } from "../protocol/identifiers.js";
import { createSettingsService, readSeeds } from "../settings/service.js";
import { atWorkplace, type Workplace } from "./workplace.js";

export function devicesCommand(): Command {
  return new Command("devices").description("the devices registered here").addCommand(unblockCommand());
}

function unblockCommand(): Command {
  return new Command("unblock")
    .description("lift the block or ban of a device; no request can do that")
    .argument("<device_id>", "64 hexadecimal characters")
    .action((deviceId: string) => atWorkplace((place) => unblock(place, deviceId)));
}

/**
 * A blocked device may have been removed since: then only its id, in canonical form, finds the block. The reports that
 * led to it count no longer, or the next one would bring it back.
 */
async function unblock(place: Workplace, spelled: string): Promise<void> {
  const devices = await openDevices(place);
  const audit = createAuditService(place);
  const known = await devices.resolve(place.db, spelled);
  const candidates = known === undefined ? deviceIdCandidates(spelled) : [known.deviceId];
  for (const target of candidates) {
    const lifted = await inTransaction(place.db, async (trx) => {
      if (!(await devices.unblock(trx, target))) return false;
      await pardonReports(trx, target);
      await audit.record(trx, { ...bySystem, action: "device_unblocked", target, details: {} });
      return true;
    });
    if (lifted) return console.log(`${target} is neither blocked nor banned.`);
  }
  throw new Error("there is no such device");
}

const bySystem = { admin: null, ipAddress: null, userAgent: null };

async function openDevices(place: Workplace): Promise<DevicesService> {
  const masterKey = await openMasterKey(place);
  const notifications = createNotifications({ url: place.url, logger: place.logger });
  const seeds = readSeeds(place.config.seeds);
  return createDevicesService({
    ...place,
    settings: createSettingsService({ ...place, notifications, seeds }),
    secrets: createSecrets({ ...place, masterKey }),
    limits: place.config,
    serverUrl: place.config.baseUrl,
    forget: async () => {},
    sessions: { endOfDevices: async () => {} },
    weigh: async () => new Map(),
  });
}
