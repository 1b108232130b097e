import type { Secrets } from "../auth/secrets.js";
import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Database } from "../database/db.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import { RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { daySeconds } from "../protocol/units.js";
import type { LimitRequest } from "../rate-limit/limits.js";
import type { RateLimiter } from "../rate-limit/rate-limiter.js";
import type { SettingsService } from "../settings/service.js";
import type { SlotSettings } from "./config.js";
import { hashOf, loadSlotKey, type SlotKey } from "./receipt.js";
import {
  charge,
  discharge,
  findExpiredContent,
  forgetSlots,
  insertSlot,
  type NewSlot,
  readSlot,
  removeContent,
  type StoredSlot,
} from "./store.js";
import type { Slot, SlotContent, TakenSlot } from "./types.js";

/** What a relay says of its slots in its discovery document. */
export interface SlotPolicy {
  key: Uint8Array;
  maxContentBytes: number;
  retentionDays: number;
  memoryDays: number;
}

/** For whom a slot is taken. */
interface Taker {
  /** Counted only if this request takes the slot. */
  limits: readonly LimitRequest[];
  /** The most bytes that the content of all slots may have together after this request. */
  storageBytes: number;
  observer?: LimitObserver | undefined;
}

/** The slots of this relay. */
interface SlotRegister {
  start(): Promise<void>;
  stop(): void;
  /** Takes a slot, or says what has taken it. Throws SLOTS_RESTARTED, SLOT_EXPIRED, MESSAGE_TOO_LARGE, QUEUE_FULL. */
  take(wanted: SlotContent, by: Taker): Promise<TakenSlot>;
  /** Throws NOT_FOUND or SLOT_EXPIRED. */
  read(slot: Buffer): Promise<Slot>;
  policy(): SlotPolicy;
  removeExpired(): Promise<void>;
}

export interface SlotRegisterDeps {
  db: Database;
  clock: Clock;
  domain: string;
  secrets: Pick<Secrets, "get">;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count">;
  rateLimiter: Pick<RateLimiter, "count">;
  config: Pick<SlotSettings, "slotContentBytes" | "slotRetentionDays" | "slotMemoryDays"> &
    Pick<NodeSettings, "expiryStepRows">;
}

export function createSlotRegister(deps: SlotRegisterDeps): SlotRegister {
  const { db, clock, domain, metrics, rateLimiter, config } = deps;
  let key: SlotKey | undefined;

  const slotKey = (): SlotKey => {
    if (key === undefined) throw new Error("the slot key is not loaded");
    return key;
  };
  /** Members who return after as long as a message waits for them must find the content. */
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
  const takeFree = async (drafted: NewSlot, { limits, storageBytes, observer }: Taker): Promise<boolean> => {
    const bytes = drafted.content.length;
    return db.transaction(async (trx) => {
      if (!(await insertSlot(trx, drafted))) return false;
      await rateLimiter.count(trx, limits, observer);
      if (!(await charge(trx, { bytes, limit: storageBytes })))
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
    async take({ slot, content, slotKey: meant }, by) {
      if (content.length > config.slotContentBytes) throw tooLarge(content.length, config.slotContentBytes);
      if (!slotKey().sameAs(meant)) throw restarted();
      const contentHash = hashOf(content);
      const found = await readSlot(db, slot);
      if (found === undefined) {
        const drafted = draft(slot, content, contentHash);
        if (await takeFree(drafted, by)) {
          metrics.count("slots_taken");
          return { ...drafted, domain, won: true };
        }
      }
      // Read again only if another request took it meanwhile.
      const taken = shown(domain, found ?? (await readSlot(db, slot)));
      const won = taken.contentHash.equals(contentHash);
      if (!won) metrics.count("slots_lost");
      return { ...taken, won };
    },
    read: async (slot) => shown(domain, await readSlot(db, slot)),
    policy: () => ({
      key: slotKey().publicKey,
      maxContentBytes: config.slotContentBytes,
      retentionDays: retentionDays(),
      memoryDays: memoryDays(),
    }),
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

/** Throws NOT_FOUND or SLOT_EXPIRED. */
function shown(domain: string, found: StoredSlot | undefined): Slot {
  if (found === undefined) throw new RelayError("NOT_FOUND", "nothing has taken this slot");
  const { content, signature, ...rest } = found;
  if (content === null || signature === null)
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
