import type { Knex } from "knex";
import type { Secrets } from "../platform/auth/secrets.js";
import type { Sessions } from "../platform/auth/sessions.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import type { Db } from "../platform/database/connection.js";
import type { Logger } from "../platform/logger.js";
import { type DeviceId, deviceIdCandidates, type Prefix } from "../protocol/identifiers.js";
import { hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { createActivity } from "./activity.js";
import { existsActiveAddress, findHolder, findPrefixes } from "./address-store.js";
import { createBlockTombstones } from "./block-tombstones.js";
import type { AnnouncedPrefix, CustomLimitChange, Device, StoragePreferences } from "./device.js";
import { createRemoval, type ForgetDevices, type WeighDevices } from "./removal.js";
import {
  countRegisteredAfter,
  type DeviceFilter,
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
import { type AnnouncingConfig, takeAddresses } from "./take-addresses.js";

export type { AnnouncedPrefix, CustomLimitChange, Device, StoragePreferences } from "./device.js";
export { scheduleDevicesJobs } from "./jobs.js";
export type { ForgetDevices, WeighDevices } from "./removal.js";

/** A verified announcement; the service adds the mapping's lifetime and this server's address. */
export interface AddressRequest {
  deviceId: DeviceId;
  prefixes: readonly AnnouncedPrefix[];
  /** Most active addresses in the flow that the device used. */
  maxActive: number;
  now: number;
}

/** Devices, their addresses and their standing. The writers of the standing answer false where there is no device. */
export interface DevicesService {
  start(): Promise<void>;
  stop(): Promise<void>;
  find(db: Db, deviceId: string): Promise<Device | undefined>;
  /** The device that a request names: by its id, or by its public key's hex, which is also accepted as its id. */
  resolve(db: Db, spelled: string): Promise<Device | undefined>;
  /** The same; nothing of the device changes until the caller's transaction ends. */
  lock(db: Db, spelled: string): Promise<Device | undefined>;
  /** Those of these devices that are here, locked in the order of their ids until the transaction ends. */
  lockAll(db: Db, ids: readonly string[]): Promise<Device[]>;
  /** Every prefix that a device holds, expired ones included: no other device can have had one of them. */
  prefixesOf(db: Db, deviceId: string): Promise<Prefix[]>;
  hasActiveAddress(db: Db, deviceId: string, now: number): Promise<boolean>;
  /** How many devices registered after a moment; the count stops at `most`. */
  countRegisteredAfter(db: Db, range: { since: number; most: number }): Promise<number>;
  /** Adds a device, in a transaction; false if it is known. A block or ban that outlived its removal holds again. */
  register(db: Db, device: { deviceId: DeviceId; publicKey: Uint8Array; now: number }): Promise<boolean>;
  /**
   * Takes or renews prefixes, all or none, in a transaction. False if the device is gone. Throws ADDRESS_LIMIT,
   * RATE_LIMIT_EXCEEDED (new addresses a day, announcements an hour) or ADDRESS_TAKEN.
   */
  takeAddresses(db: Db, request: AddressRequest): Promise<boolean>;
  setPreferences(db: Db, deviceId: string, preferences: StoragePreferences): Promise<void>;
  /** Notes that a device has just done something; kept to the hour, written in the background. */
  touch(deviceId: string): void;
  /** Counts a spam report with the device that it is about (null: of another server) and with its reporter. */
  countReport(db: Db, report: { reported: string | null; reporter: string }): Promise<void>;
  block(db: Db, deviceId: string, at: number): Promise<boolean>;
  /** Lifts block and ban, also those of a device that was removed. */
  unblock(db: Db, deviceId: string): Promise<boolean>;
  ban(db: Db, deviceId: string, until: number): Promise<boolean>;
  verify(db: Db, deviceId: string, verification: { at: number; by: string }): Promise<boolean>;
  unverify(db: Db, deviceId: string): Promise<boolean>;
  setCustomLimit(db: Db, deviceId: string, change: CustomLimitChange): Promise<boolean>;
  /** Devices for operators, the last active first. */
  list(db: Db, filter: DeviceFilter): Promise<Device[]>;
  /** The device that an address prefix leads to. */
  holderOf(db: Db, prefix: Prefix): Promise<Device | undefined>;
  /** Removes a device with all that any room keeps of it, in a transaction; false where there is none. A block outlives it. */
  remove(db: Db, deviceId: string): Promise<boolean>;
  /** Removes devices inactive for longer than the settings allow, with all that any room keeps of them. */
  removeInactive(): Promise<number>;
}

export interface DevicesDeps {
  db: Knex;
  clock: Clock;
  logger: Logger;
  settings: Pick<SettingsService, "current">;
  secrets: Pick<Secrets, "get">;
  sessions: Pick<Sessions, "endOfDevices">;
  config: AnnouncingConfig & Pick<Config, "deviceTokenSeconds">;
  /** This server's public address, kept with every mapping. */
  serverUrl: string;
  /** Removes what the other rooms keep of devices. */
  forget: ForgetDevices;
  /** How much that is, so that it is removed in steps of bounded size. */
  weigh: WeighDevices;
}

export function createDevicesService(deps: DevicesDeps): DevicesService {
  const { db, clock, settings, config, serverUrl } = deps;
  const activity = createActivity(deps);
  const tombstones = createBlockTombstones(deps);
  const removal = createRemoval({ ...deps, tombstones });

  return {
    async start() {
      await tombstones.prepare();
      activity.start();
    },
    stop: () => activity.stop(),
    async find(at, deviceId) {
      const [device] = await findDevices(at, [deviceId]);
      return device;
    },
    async resolve(at, spelled) {
      const candidates = deviceIdCandidates(spelled);
      return firstNamed(candidates, await findDevices(at, candidates));
    },
    async lock(at, spelled) {
      const candidates = deviceIdCandidates(spelled);
      return firstNamed(candidates, await lockDevices(at, candidates));
    },
    lockAll: lockDevices,
    prefixesOf: findPrefixes,
    hasActiveAddress: existsActiveAddress,
    countRegisteredAfter,
    async register(at, device) {
      const added = await insertDevice(at, device);
      if (added) await tombstones.restore(at, device.deviceId);
      return added;
    },
    takeAddresses(at, request) {
      const lifetime = settings.current().storage.announcement_retention_hours * hourSeconds;
      return takeAddresses(at, { ...request, expiresAt: request.now + lifetime, serverUrl }, config);
    },
    setPreferences: updatePreferences,
    touch: (deviceId) => activity.touch(deviceId),
    countReport: updateReportCounts,
    block: updateBlock,
    async unblock(at, deviceId) {
      const known = (await updateBlock(at, deviceId, null)) && (await updateBan(at, deviceId, null));
      return (await tombstones.erase(at, deviceId)) || known;
    },
    ban: updateBan,
    verify: updateVerification,
    unverify: (at, deviceId) => updateVerification(at, deviceId, null),
    setCustomLimit: updateCustomLimit,
    list: listDevices,
    async holderOf(at, prefix) {
      const holder = await findHolder(at, prefix);
      return holder === undefined ? undefined : (await findDevices(at, [holder]))[0];
    },
    remove: (at, deviceId) => removal.removeOne(at, deviceId, clock.nowSeconds()),
    removeInactive: () => removal.run(db, clock.nowSeconds()),
  };
}

function firstNamed(candidates: readonly DeviceId[], found: readonly Device[]): Device | undefined {
  return candidates.map((id) => found.find((device) => device.deviceId === id)).find((device) => device);
}
