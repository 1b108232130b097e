import { createSecrets } from "../../src/auth/secrets.js";
import type { Database } from "../../src/database/db.js";
import {
  type CountDeviceRows,
  createDevicesService,
  type DevicesService,
  type ForgetDevices,
} from "../../src/devices/service.js";
import type { ManualClock } from "../../src/node/clock.js";
import { deviceIdOf } from "../../src/protocol/identifiers.js";
import { createSettingsService } from "../../src/settings/service.js";
import { createTestRateLimiter } from "../support/rate-limiter.js";
import { createTrustFixture } from "../support/trust.js";

/** The devices room on a database of its own. */
export interface DevicesFixture {
  db: Database;
  clock: ManualClock;
  devices: DevicesService;
  /** Registers a device whose key is this byte, 32 times over; answers its id. */
  add(byte: number): Promise<ReturnType<typeof deviceIdOf>>;
  stop(): Promise<void>;
}

export async function openDevices(
  forget: ForgetDevices = async () => {},
  countRows: CountDeviceRows = async () => new Map(),
): Promise<DevicesFixture> {
  const fixture = await createTrustFixture();
  const { db, clock, config, database } = fixture;
  const notifications = { notify: () => {}, listen: () => () => {} };
  const settings = createSettingsService({ ...fixture, notifications, seeds: {}, preset: null });
  const devices = createDevicesService({
    ...fixture,
    config: { ...config, newAddressesPerDay: 1000, announcementsPerHour: 1000 },
    settings,
    secrets: createSecrets(fixture),
    rateLimiter: createTestRateLimiter(fixture),
    sessions: { endOfDevices: async () => {} },
    serverUrl: "https://relay.test",
    forget,
    countRows,
  });
  await settings.start();
  await devices.start();
  return {
    db,
    clock,
    devices,
    async add(byte) {
      const publicKey = new Uint8Array(32).fill(byte);
      const deviceId = deviceIdOf(publicKey);
      await db.transaction((at) => devices.register(at, { deviceId, publicKey, now: clock.nowSeconds() }));
      return deviceId;
    },
    async stop() {
      await devices.stop();
      await settings.stop();
      await database.drop();
    },
  };
}
