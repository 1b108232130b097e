import type { Knex } from "knex";
import {
  createDevicesService,
  type DevicesService,
  type ForgetDevices,
  type WeighDevices,
} from "../../src/devices/service.js";
import type { ManualClock } from "../../src/platform/clock.js";
import { createSecrets } from "../../src/platform/secrets.js";
import { deviceIdOf } from "../../src/protocol/identifiers.js";
import { createSettingsService } from "../../src/settings/service.js";
import { createTrustGround } from "../support/trust.js";

/** The devices room on a database of its own. */
export interface DevicesGround {
  db: Knex;
  clock: ManualClock;
  devices: DevicesService;
  /** Registers a device whose key is this byte, 32 times over; answers its id. */
  add(byte: number): Promise<ReturnType<typeof deviceIdOf>>;
  stop(): Promise<void>;
}

export async function openDevices(
  forget: ForgetDevices = async () => {},
  weigh: WeighDevices = async () => new Map(),
): Promise<DevicesGround> {
  const ground = await createTrustGround();
  const { db, clock, limits, database } = ground;
  const notifications = { notify: () => {}, listen: () => () => {} };
  const settings = createSettingsService({ ...ground, notifications, seeds: {} });
  const devices = createDevicesService({
    ...ground,
    limits: { ...limits, newAddressesPerDay: 1000, announcementsPerHour: 1000 },
    settings,
    secrets: createSecrets(ground),
    sessions: { endOfDevices: async () => {} },
    serverUrl: "https://relay.test",
    forget,
    weigh,
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
