import type { AuthSettings } from "../auth/config.js";
import type { Sessions } from "../auth/ended-sessions.js";
import type { Secrets } from "../auth/secrets.js";
import type { Database, Db } from "../database/db.js";
import type { LimitRequest } from "../limits/limit-request.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { Clock } from "../node/clock.js";
import type { Schedule } from "../node/schedule.js";
import type { Logger } from "../platform/logger.js";
import { type DeviceId, deviceIdCandidates, type Prefix } from "../protocol/identifiers.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import type { SettingsService } from "../settings/service.js";
import { createActivity } from "./activity.js";
import {
  endAddress,
  existsActiveAddress,
  findActiveAddresses,
  findActiveHolder,
  findHolder,
  findPrefixes,
} from "./address-store.js";
import { type AnnouncingConfig, announcementLimits } from "./announcement-limits.js";
import { createBlockTombstones } from "./block-tombstones.js";
import type { AnnouncedPrefix, Device } from "./device.js";
import { type CountDeviceRows, createInactivity } from "./inactivity.js";
import { createRemoval, type ForgetDevices } from "./removal.js";
import {
  countRegisteredAfter,
  findDevices,
  insertDevice,
  listDevices,
  lockDevices,
  updateBan,
  updateBlock,
  updateCustomLimit,
  updatePreferences,
  updateReportCounts,
  updateVerification,
} from "./store.js";
import { takeAddresses } from "./take-addresses.js";

export type { ActiveAddress, AnnouncedPrefix, CustomLimitChange, Device, StoragePreferences } from "./device.js";
export { deviceNotFound, requireDevice } from "./device-not-found.js";
export type { CountDeviceRows } from "./inactivity.js";
export type { ForgetDevices } from "./removal.js";
export type { DeviceFilter } from "./store.js";
export { hasDevices } from "./store.js";

/** A verified announcement. The service adds the lifetime of the addresses and the URL of this server. */
interface AddressRequest {
  deviceId: DeviceId;
  prefixes: readonly AnnouncedPrefix[];
  /** Maximum number of active addresses that the device may have in the flow that it used. */
  maxActive: number;
  now: number;
  observer?: LimitObserver | undefined;
}

/** Devices, their addresses and their trust state. Methods that change the trust state return false for an unknown device. */
export type DevicesService = ReturnType<typeof createDevicesService>;

export function createDevicesService(deps: {
  db: Database;
  clock: Clock;
  logger: Logger;
  settings: Pick<SettingsService, "current">;
  secrets: Pick<Secrets, "get">;
  sessions: Pick<Sessions, "endOfDevices">;
  rateLimiter: Pick<RateLimiter, "count">;
  config: AnnouncingConfig & Pick<AuthSettings, "deviceTokenSeconds">;
  /** The public URL of this server, stored with every address. */
  serverUrl: string;
  /** Deletes the rows that other modules keep about devices. */
  forget: ForgetDevices;
  /** Estimates the number of those rows, so that each step of a removal is bounded. */
  countRows: CountDeviceRows;
}) {
  const { db, clock, serverUrl } = deps;
  const activity = createActivity(deps);
  const tombstones = createBlockTombstones(deps);
  const removal = createRemoval({ ...deps, tombstones });
  const inactivity = createInactivity({ ...deps, removal });

  return {
    async start(): Promise<void> {
      await tombstones.prepare();
      activity.start();
    },
    stop: (): Promise<void> => activity.stop(),
    async find(at: Db, deviceId: string): Promise<Device | undefined> {
      const [device] = await findDevices(at, [deviceId]);
      return device;
    },
    /** Finds devices by their ids, in no particular order. Unknown ids are left out. */
    findAll: findDevices,
    /** Finds the device that a request names by its id or by its public key in hex, which is also accepted as an id. */
    async resolve(at: Db, spelled: string): Promise<Device | undefined> {
      const candidates = deviceIdCandidates(spelled);
      return firstOf(candidates, await findDevices(at, candidates));
    },
    /** Which of these ids, in either spelling, a device has. */
    async known(at: Db, spelled: readonly string[]): Promise<ReadonlySet<string>> {
      const candidates = new Map(spelled.map((id) => [id, deviceIdCandidates(id)]));
      const found = new Set((await findDevices(at, [...candidates.values()].flat())).map(({ deviceId }) => deviceId));
      return new Set(spelled.filter((id) => candidates.get(id)?.some((candidate) => found.has(candidate))));
    },
    /** Finds a device like `resolve` and locks its row until the caller's transaction ends. */
    async lock(at: Db, spelled: string): Promise<Device | undefined> {
      const candidates = deviceIdCandidates(spelled);
      return firstOf(candidates, await lockDevices(at, candidates));
    },
    /** Finds devices and locks them, in the order of their ids, until the transaction ends. Unknown ids are left out. */
    lockAll: lockDevices,
    /** Every prefix that a device holds, including expired ones. No other device can have held one of them. */
    prefixesOf: findPrefixes,
    hasActiveAddress: existsActiveAddress,
    /** The addresses of a device that have not expired, the oldest first. */
    addressesOf: findActiveAddresses,
    /**
     * Ends an address of a device, which still belongs to the device then. Undefined if the address is not active or not the
     * device's: the statement is the same in all these cases.
     */
    endAddress,
    /** Counts the devices that registered after `since`, up to `max`. */
    countRegisteredAfter,
    /** Adds a device, in a transaction; false if it exists. A block or ban from before its removal applies again. */
    async register(at: Db, device: { deviceId: DeviceId; publicKey: Uint8Array; now: number }): Promise<boolean> {
      const added = await insertDevice(at, device);
      if (added) await tombstones.restore(at, device.deviceId);
      return added;
    },
    /**
     * Takes or renews all prefixes or none, in a transaction. False if the device was removed. Throws ADDRESS_LIMIT,
     * RATE_LIMIT_EXCEEDED (new addresses a day, announcements an hour) or ADDRESS_TAKEN.
     */
    takeAddresses(at: Db, request: AddressRequest): Promise<boolean> {
      return takeAddresses(at, { ...request, serverUrl }, deps);
    },
    /** The limits of a device's announcements. */
    limitsOf: ({ deviceId }: { deviceId: string }): LimitRequest[] => announcementLimits(deviceId, 0, deps.config),
    setPreferences: updatePreferences,
    /** Records that a device has just been active: to the hour, in the background. */
    touch: (deviceId: string): void => activity.touch(deviceId),
    /** Counts a spam report on the reported device (null: it belongs to another server) and on the reporter. */
    countReport: updateReportCounts,
    block: updateBlock,
    /** Lifts the block and the ban, also for a device that was removed. */
    async unblock(at: Db, deviceId: string): Promise<boolean> {
      const known = (await updateBlock(at, deviceId, null)) && (await updateBan(at, deviceId, null));
      return (await tombstones.erase(at, deviceId)) || known;
    },
    ban: updateBan,
    verify: updateVerification,
    unverify: (at: Db, deviceId: string): Promise<boolean> => updateVerification(at, deviceId, null),
    setCustomLimit: updateCustomLimit,
    /** Lists devices for operators. */
    list: listDevices,
    /** The id of the device that has an active address with this prefix. */
    activeHolderOf: findActiveHolder,
    /** Finds the device that holds an address prefix. */
    async holderOf(at: Db, prefix: Prefix): Promise<Device | undefined> {
      const holder = await findHolder(at, prefix);
      return holder === undefined ? undefined : (await findDevices(at, [holder]))[0];
    },
    /** Removes a device with the rows of every module, in a transaction; false if there is none. A block outlives it. */
    remove: (at: Db, deviceId: string): Promise<boolean> => removal.removeOne(at, deviceId, clock.nowSeconds()),
    /** Removes devices that have been inactive for longer than the settings allow, with the rows of every module; returns how many. */
    removeInactive: (): Promise<number> => inactivity.removeInactive(db, clock.nowSeconds()),
  };
}

function firstOf(candidates: readonly DeviceId[], found: readonly Device[]): Device | undefined {
  return candidates.map((id) => found.find((device) => device.deviceId === id)).find((device) => device);
}

const removeEverySeconds = 600;

/** Schedules the removal of inactive devices. */
export function scheduleDevicesJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: { removeInactive(): Promise<number> },
): void {
  schedule.cleanUpEvery("devices.remove-inactive", removeEverySeconds, async () => {
    await service.removeInactive();
  });
}
