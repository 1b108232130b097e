import type { Secrets } from "../auth/secrets.js";
import { invalidToken } from "../auth/tokens.js";
import { inBoundedSteps } from "../database/bounded-steps.js";
import { type Database, inTransaction } from "../database/connection.js";
import type { Device, DevicesService } from "../devices/service.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import type { Schedule } from "../node/schedule.js";
import { RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { LimitRequest } from "../rate-limit/limits.js";
import type { RateLimiter } from "../rate-limit/rate-limiter.js";
import type { SettingsService } from "../settings/service.js";
import type { SlotSettings } from "./config.js";
import { readLimit, refuseBarredTaking, type SlotLimitConfig, takeLimits } from "./limits.js";
import { hashOf, loadSlotKey, type SlotKey } from "./receipt.js";
import {
  charge,
  discharge,
  expireContent,
  forgetSlots,
  insertSlot,
  type NewSlot,
  readSlot,
  type StoredSlot,
} from "./store.js";

export { slotKeySecret } from "./receipt.js";

/** What a slot has taken. Bytes; times in Unix seconds. */
export interface Slot {
  content: Buffer;
  contentHash: Buffer;
  /** The public key that made the signature. */
  slotKey: Buffer;
  signature: Buffer;
  expiresAt: number;
}

/** What a relay's discovery document says about its slots. */
interface SlotPolicy {
  key: Uint8Array;
  maxContentBytes: number;
  retentionDays: number;
  memoryDays: number;
}

/** Commit slots: registers that take content once, under names that only the members of a group can compute. */
export interface SlotsService {
  start(): Promise<void>;
  stop(): void;
  /**
   * Takes a slot, or says what has taken it. `won` also if the same content took it before. Throws SLOTS_RESTARTED,
   * SLOT_EXPIRED, RATE_LIMIT_EXCEEDED, MESSAGE_TOO_LARGE or QUEUE_FULL.
   */
  take(
    deviceId: string,
    request: { slot: Buffer; content: Buffer; slotKey: Uint8Array },
    observer?: LimitObserver,
  ): Promise<Slot & { won: boolean }>;
  /** Throws NOT_FOUND, SLOT_EXPIRED or RATE_LIMIT_EXCEEDED. */
  read(ip: string, slot: Buffer, observer?: LimitObserver): Promise<Slot>;
  policy(): SlotPolicy;
  /** Removes content that has expired and slots that may be forgotten. */
  removeExpired(): Promise<void>;
  /** The limits of a device that takes slots. */
  limitsOf(device: Device): LimitRequest[];
}

interface SlotsDeps {
  db: Database;
  clock: Clock;
  domain: string;
  secrets: Pick<Secrets, "get">;
  devices: Pick<DevicesService, "find">;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count">;
  rateLimiter: Pick<RateLimiter, "count" | "prepareIp">;
  config: SlotLimitConfig &
    Pick<SlotSettings, "slotContentBytes" | "slotStorageBytes" | "slotRetentionDays" | "slotMemoryDays"> &
    Pick<NodeSettings, "expiryStepRows">;
}

export function createSlotsService(deps: SlotsDeps): SlotsService {
  const { db, clock, domain, devices, metrics, rateLimiter, config } = deps;
  let key: SlotKey | undefined;

  const slotKey = (): SlotKey => {
    if (key === undefined) throw new Error("the slot key is not loaded");
    return key;
  };
  const limitsOf = (device: Device, bytes: number, now: number) =>
    takeLimits(bytes, { device, now, settings: deps.settings.current(), config });
  /** Members who return while a message still waits for them must find the content. */
  const retentionDays = () => Math.max(config.slotRetentionDays, deps.settings.current().server.max_retention_days);
  const memoryDays = () => Math.max(config.slotMemoryDays, retentionDays());

  const draft = (slot: Buffer, content: Buffer, contentHash: Buffer): NewSlot => {
    const now = clock.nowSeconds();
    const signature = slotKey().sign(slot, contentHash);
    return {
      slot,
      content,
      contentHash,
      slotKey: slotKey().publicKey,
      signature,
      expiresAt: now + retentionDays() * daySeconds,
      forgetAt: now + memoryDays() * daySeconds,
    };
  };

  /** Takes the slot unless somebody else did; then nothing is counted. */
  const takeFree = async (device: Device, drafted: NewSlot, observer?: LimitObserver): Promise<boolean> => {
    const bytes = drafted.content.length;
    return inTransaction(db, async (trx) => {
      if (!(await insertSlot(trx, drafted))) return false;
      await rateLimiter.count(trx, limitsOf(device, bytes, clock.nowSeconds()), observer);
      if (!(await charge(trx, { bytes, limit: config.slotStorageBytes })))
        throw new RelayError("QUEUE_FULL", "the space for commit slots is used up");
      return true;
    });
  };

  return {
    async start() {
      key = await loadSlotKey(deps.secrets, domain);
    },
    stop() {
      key = undefined;
    },
    async take(deviceId, { slot, content, slotKey: meant }, observer) {
      const device = await devices.find(db, deviceId);
      if (device === undefined) throw invalidToken("the device is no longer registered here");
      refuseBarredTaking(device, clock.nowSeconds(), observer);
      if (content.length > config.slotContentBytes) throw tooLarge(content.length, config.slotContentBytes);
      if (!slotKey().sameAs(meant)) throw restarted();
      const contentHash = hashOf(content);
      const found = await readSlot(db, slot);
      if (found === undefined) {
        const drafted = draft(slot, content, contentHash);
        if (await takeFree(device, drafted, observer)) {
          metrics.count("slots_taken");
          return { ...drafted, won: true };
        }
      }
      // Read again only if another request took it meanwhile.
      const taken = shown(found ?? (await readSlot(db, slot)));
      const won = taken.contentHash.equals(contentHash);
      if (!won) metrics.count("slots_lost");
      return { ...taken, won };
    },
    async read(ip, slot, observer) {
      await rateLimiter.count(db, [readLimit(ip, config)], observer);
      return shown(await readSlot(db, slot));
    },
    policy: () => ({
      key: slotKey().publicKey,
      maxContentBytes: config.slotContentBytes,
      retentionDays: retentionDays(),
      memoryDays: memoryDays(),
    }),
    async removeExpired() {
      const now = clock.nowSeconds();
      await inBoundedSteps(config.expiryStepRows, (limit) =>
        inTransaction(db, async (trx) => {
          const expired = await expireContent(trx, { now, limit });
          if (expired.length > 0)
            await discharge(
              trx,
              expired.reduce((sum, bytes) => sum + bytes, 0),
            );
          return expired.length;
        }),
      );
      await inBoundedSteps(config.expiryStepRows, (limit) => forgetSlots(db, { now, limit }));
    },
    limitsOf: (device) => limitsOf(device, 0, clock.nowSeconds()).map((limit) => ({ ...limit, cost: 0 })),
  };
}

/** Throws NOT_FOUND or SLOT_EXPIRED. */
function shown(found: StoredSlot | undefined): Slot {
  if (found === undefined) throw new RelayError("NOT_FOUND", "nothing has taken this slot");
  const { content, signature, ...rest } = found;
  if (content === null || signature === null)
    throw new RelayError("SLOT_EXPIRED", "the slot was taken, and its content is kept no longer");
  return { ...rest, content, signature };
}

function restarted(): RelayError {
  return new RelayError(
    "SLOTS_RESTARTED",
    "this relay has another slot key, which its discovery document names; the group continues as a new group",
  );
}

function tooLarge(bytes: number, limit: number): RelayError {
  return new RelayError("MESSAGE_TOO_LARGE", `the content has ${bytes} bytes; the limit is ${limit}`);
}

/** Schedules the removal of expired slots, once an hour. */
export function scheduleSlotsJobs(schedule: Pick<Schedule, "cleanUpEvery">, slots: SlotsService): void {
  schedule.cleanUpEvery("slots.clean-up", hourSeconds, () => slots.removeExpired());
}
