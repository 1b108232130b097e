import { inBoundedSteps } from "../database/bounded-steps.js";
import type { DatabaseSettings } from "../database/config.js";
import { createPipelines } from "../database/pipeline/pipelines.js";
import type { Placement } from "../database/placement.js";
import type { DevicesService } from "../devices/service.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import { encodeHex } from "../protocol/encodings.js";
import { RelayError } from "../protocol/errors.js";
import { daySeconds } from "../protocol/units.js";
import type { RateLimiter } from "../rate-limit/rate-limiter.js";
import type { SettingsService } from "../settings/service.js";
import type { SlotSettings } from "./config.js";
import { createSlotKeys, type SlotKeysDeps } from "./keys.js";
import { createRoom, readingOf, slotsPerReadingOf } from "./reading.js";
import { hashOf } from "./receipt.js";
import {
  discharge,
  findExpiredContent,
  forgetSlots,
  type NewSlot,
  readBalance,
  readContentBytes,
  readSlot,
  readSlots,
  removeContent,
  type StoredSlot,
} from "./store.js";
import { createTakings, noSpace, OtherTimeline, type Taken, type Taker } from "./taking.js";
import type { Slot, SlotContent, SlotReading, TakenSlot } from "./types.js";

/** What a relay says of its slots in its discovery document. */
export interface SlotPolicy {
  key: Uint8Array;
  maxContentBytes: number;
  retentionDays: number;
  memoryDays: number;
  /** How many slots a request may read, of this relay and of another one. */
  slotsPerReading: { own: number; ofPeers: number };
}

/** The slots of this relay. */
export interface SlotRegister {
  start(): Promise<void>;
  /** Waits for the requests that are under way. */
  stop(): Promise<void>;
  /** Takes a slot, or says what has taken it. Throws SLOTS_RESTARTED, SLOT_EXPIRED, MESSAGE_TOO_LARGE, QUEUE_FULL. */
  take(wanted: SlotContent, by: Taker): Promise<TakenSlot>;
  /** Throws NOT_FOUND or SLOT_EXPIRED. */
  read(slot: Buffer): Promise<Slot>;
  /** Leaves out content beyond `roomBytes`, but not that of the first slot that is taken. */
  readMany(slots: readonly Buffer[], roomBytes: number): Promise<SlotReading[]>;
  isTaken(slot: Buffer): Promise<boolean>;
  /** QUEUE_FULL if slots may have no more than `storageBytes` together, and so many more do not fit. */
  refusalOf(bytes: number, storageBytes: number): Promise<RelayError | undefined>;
  policy(): SlotPolicy;
  /** How long content is kept. */
  retentionSeconds(): number;
  removeExpired(): Promise<void>;
}

export interface SlotRegisterDeps extends SlotKeysDeps {
  databaseUrl: string;
  placement: Placement;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count">;
  rateLimiter: Pick<RateLimiter, "keyOf">;
  devices: Pick<DevicesService, "findAll">;
  config: Pick<
    SlotSettings,
    | "slotContentBytes"
    | "slotRetentionDays"
    | "slotMemoryDays"
    | "slotReadsPerIpHour"
    | "peerSlotReadsPerIpMinute"
    | "peerSlotReserved"
  > &
    Pick<NodeSettings, "expiryStepRows"> &
    Pick<DatabaseSettings, "databaseStatementTimeoutSeconds" | "databaseConnectTimeoutSeconds">;
}

export function createSlotRegister(deps: SlotRegisterDeps): SlotRegister {
  const { db, clock, domain, metrics, config } = deps;
  const pipelines = createPipelines({ ...deps, url: deps.databaseUrl });
  const takings = createTakings({ ...deps, pipelines });
  const keys = createSlotKeys(deps);

  /** Members who return after as long as a message waits for them must find the content. */
  const retentionDays = () => Math.max(config.slotRetentionDays, deps.settings.current().server.max_retention_days);
  const memoryDays = () => Math.max(config.slotMemoryDays, retentionDays());

  const draft = (
    { slot, content, contentHash }: Pick<NewSlot, "slot" | "content" | "contentHash">,
    { key, timeline }: ReturnType<typeof keys.current>,
  ): NewSlot => {
    const now = clock.nowSeconds();
    return {
      slot,
      content,
      contentHash,
      slotKey: key.publicKey,
      signature: key.sign(slot, contentHash),
      timeline,
      expiresAt: now + retentionDays() * daySeconds,
      forgetAt: now + memoryDays() * daySeconds,
    };
  };

  return {
    start: () => keys.start(),
    async stop() {
      await takings.stop();
      await pipelines.stop();
      keys.stop();
    },
    async take({ slot, content, slotKey: meant }, by) {
      if (content.length > config.slotContentBytes) throw tooLarge(content.length, config.slotContentBytes);
      const contentHash = hashOf(content);
      const takeOnce = async (): Promise<Taken> => {
        // The row is signed by this key or not at all, even if the key is replaced while the request waits.
        const signer = keys.current();
        if (!signer.key.sameAs(meant)) throw restarted();
        return takings.take({
          slot,
          contentBytes: content.length,
          draft: () => draft({ slot, content, contentHash }, signer),
          by,
        });
      };
      const { slot: found, isNew } = await takeOnce().catch(async (error: unknown) => {
        if (!(error instanceof OtherTimeline)) throw error;
        await keys.renew();
        return takeOnce();
      });
      const taken = shown(found, { domain, now: clock.nowSeconds() });
      const won = taken.contentHash.equals(contentHash);
      if (isNew) metrics.count("slots_taken");
      else if (!won) metrics.count("slots_lost");
      return { ...taken, won };
    },
    read: async (slot) => shown(await readSlot(db, slot), { domain, now: clock.nowSeconds() }),
    async readMany(slots, roomBytes) {
      const sizes = new Map((await readContentBytes(db, slots)).map(({ slot, bytes }) => [encodeHex(slot), bytes]));
      const room = createRoom(roomBytes);
      const fitting = slots.filter((slot) => {
        const bytes = sizes.get(encodeHex(slot));
        return bytes !== undefined && room.takes(bytes);
      });
      const found = new Map((await readSlots(db, fitting)).map((one) => [encodeHex(one.slot), one]));
      const now = clock.nowSeconds();
      return Promise.all(
        slots.map(async (slot) => {
          const stored = found.get(encodeHex(slot));
          if (stored === undefined) return { kind: sizes.has(encodeHex(slot)) ? "left out" : "free" } as const;
          return readingOf(() => shown(stored, { domain, now }));
        }),
      );
    },
    isTaken: async (slot) => (await readSlot(db, slot)) !== undefined,
    refusalOf: async (bytes, storageBytes) => ((await readBalance(db)) + bytes > storageBytes ? noSpace() : undefined),
    policy: () => ({
      key: keys.current().key.publicKey,
      maxContentBytes: config.slotContentBytes,
      retentionDays: retentionDays(),
      memoryDays: memoryDays(),
      slotsPerReading: slotsPerReadingOf(config),
    }),
    retentionSeconds: () => retentionDays() * daySeconds,
    async removeExpired() {
      const now = clock.nowSeconds();
      await inBoundedSteps(config.expiryStepRows, (limit) =>
        db.transaction(async (trx) => {
          const expired = await findExpiredContent(trx, { now, limit });
          const removed = new Set(
            (
              await removeContent(
                trx,
                expired.map(({ slot }) => slot),
              )
            ).map((slot) => slot.toString("hex")),
          );
          const bytes = expired
            .filter(({ slot }) => removed.has(slot.toString("hex")))
            .reduce((sum, one) => sum + one.bytes, 0);
          if (bytes > 0) await discharge(trx, bytes);
          return expired.length;
        }),
      );
      await inBoundedSteps(config.expiryStepRows, (limit) => forgetSlots(db, { now, limit }));
    },
  };
}

/** Throws NOT_FOUND or SLOT_EXPIRED. Content that has expired may not have been removed yet. */
function shown(found: StoredSlot | undefined, { domain, now }: { domain: string; now: number }): Slot {
  if (found === undefined) throw new RelayError("NOT_FOUND", "nothing has taken this slot");
  const { content, signature, ...rest } = found;
  if (content === null || signature === null || rest.expiresAt <= now)
    throw new RelayError("SLOT_EXPIRED", "the slot was taken, and its content is kept no longer");
  return { ...rest, domain, content, signature };
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
