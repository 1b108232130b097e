import type { DatabaseSettings } from "../database/config.js";
import { createPipelines, type Pipelines } from "../database/pipeline/pipelines.js";
import type { Placement } from "../database/placement.js";
import type { DevicesService } from "../devices/service.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import { encodeHex } from "../protocol/encodings.js";
import { RelayError } from "../protocol/errors.js";
import { daySeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import type { SlotSettings } from "./config.js";
import { memoryDaysOf, retentionDaysOf, retentionSecondsOf } from "./expiry.js";
import { createSlotKeys, type SlotKeys, type SlotKeysDeps } from "./key-replacement.js";
import { createRoom, readingOf, slotsPerReadingOf } from "./reading.js";
import { hashOf } from "./receipt.js";
import { demandPresentKey } from "./restarted.js";
import { type NewSlot, readBalance, readContentBytes, readSlot, readSlots, type StoredSlot } from "./store.js";
import { createTakings, hasWon, noSpace, OtherTimeline, type Taken, type Taker, type Takings } from "./taking.js";
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

export interface SlotRegisterDeps extends SlotKeysDeps {
  databaseUrl: string;
  placement: Placement;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count">;
  rateLimiter: Pick<RateLimiter, "keyOf">;
  devices: Pick<DevicesService, "findAll">;
  config: SlotSettings & Pick<DatabaseSettings, "databaseStatementTimeoutSeconds" | "databaseConnectTimeoutSeconds">;
}

/** The slots of this relay. */
export class SlotRegister {
  private readonly deps: SlotRegisterDeps;
  private readonly pipelines: Pipelines;
  private readonly takings: Takings;
  private readonly keys: SlotKeys;

  constructor(deps: SlotRegisterDeps) {
    this.deps = deps;
    this.pipelines = createPipelines({ ...deps, url: deps.databaseUrl });
    this.takings = createTakings({ ...deps, pipelines: this.pipelines });
    this.keys = createSlotKeys(deps);
  }

  start(): Promise<void> {
    return this.keys.start();
  }

  /** Waits for the requests that are under way. */
  async stop(): Promise<void> {
    await this.takings.stop();
    await this.pipelines.stop();
    this.keys.stop();
  }

  /** Takes a slot, or says what has taken it. Throws SLOTS_RESTARTED, SLOT_EXPIRED, MESSAGE_TOO_LARGE, QUEUE_FULL. */
  async take(wanted: SlotContent, by: Taker): Promise<TakenSlot> {
    const { metrics, config } = this.deps;
    if (wanted.content.length > config.slotContentBytes) throw tooLarge(wanted.content.length, config.slotContentBytes);
    const contentHash = hashOf(wanted.content);
    const { slot: found, isNew } = await this.takeOnce(wanted, contentHash, by).catch(async (error: unknown) => {
      if (!(error instanceof OtherTimeline)) throw error;
      await this.keys.renew();
      return this.takeOnce(wanted, contentHash, by);
    });
    const taken = this.shown(found);
    const won = hasWon(taken, contentHash);
    if (isNew) metrics.count("slots_taken");
    else if (!won) metrics.count("slots_lost");
    return { ...taken, won };
  }

  private async takeOnce(wanted: SlotContent, contentHash: Buffer, by: Taker): Promise<Taken> {
    const { slot, content, slotKey } = wanted;
    // The row is signed by this key or not at all, even if the key is replaced while the request waits.
    const signer = this.keys.current();
    demandPresentKey(signer.key, slotKey);
    const draft = () => this.draft({ ...wanted, contentHash }, signer);
    return this.takings.take({ slot, contentBytes: content.length, draft, by });
  }

  private draft(
    { slot, content, contentHash, path = [], publicKey, signature }: SlotContent & { contentHash: Buffer },
    { key, timeline }: ReturnType<SlotKeys["current"]>,
  ): NewSlot {
    const now = this.deps.clock.nowSeconds();
    const isOfMany = path.length > 0;
    return {
      slot,
      content,
      contentHash,
      takerKey: isOfMany ? publicKey : null,
      takerSignature: isOfMany ? Buffer.from(signature, "hex") : null,
      slotKey: key.publicKey,
      signature: key.sign(slot, contentHash),
      timeline,
      expiresAt: now + retentionSecondsOf(this.deps),
      forgetAt: now + memoryDaysOf(this.deps) * daySeconds,
    };
  }

  /** Throws NOT_FOUND or SLOT_EXPIRED. */
  async read(slot: Buffer): Promise<Slot> {
    return this.shown(await readSlot(this.deps.db, slot));
  }

  /** Leaves out content beyond `roomBytes`, but not that of the first slot that is taken. */
  async readMany(slots: readonly Buffer[], roomBytes: number): Promise<SlotReading[]> {
    const { db } = this.deps;
    const sizes = new Map((await readContentBytes(db, slots)).map(({ slot, bytes }) => [encodeHex(slot), bytes]));
    const room = createRoom(roomBytes);
    const fitting = slots.filter((slot) => {
      const bytes = sizes.get(encodeHex(slot));
      return bytes !== undefined && room.takes(bytes);
    });
    const found = new Map((await readSlots(db, fitting)).map((one) => [encodeHex(one.slot), one]));
    const reading = async (slot: Buffer): Promise<SlotReading> => {
      const stored = found.get(encodeHex(slot));
      if (stored !== undefined) return readingOf(() => this.shown(stored));
      return { kind: sizes.has(encodeHex(slot)) ? "left out" : "free" };
    };
    return Promise.all(slots.map(reading));
  }

  async isTaken(slot: Buffer): Promise<boolean> {
    return (await readSlot(this.deps.db, slot)) !== undefined;
  }

  /** QUEUE_FULL if `bytes` more would take the space of all slots beyond `storageBytes`. */
  async refusalOf(bytes: number, storageBytes: number): Promise<RelayError | undefined> {
    return (await readBalance(this.deps.db)) + bytes > storageBytes ? noSpace() : undefined;
  }

  policy(): SlotPolicy {
    const { config } = this.deps;
    return {
      key: this.keys.current().key.publicKey,
      maxContentBytes: config.slotContentBytes,
      retentionDays: retentionDaysOf(this.deps),
      memoryDays: memoryDaysOf(this.deps),
      slotsPerReading: slotsPerReadingOf(config),
    };
  }

  /** Throws NOT_FOUND or SLOT_EXPIRED. Content that has expired may not have been removed yet. */
  private shown(found: StoredSlot | undefined): Slot {
    if (found === undefined) throw new RelayError("NOT_FOUND", "nothing has taken this slot");
    const { content, signature, takerKey, takerSignature, ...rest } = found;
    if (content === null || signature === null || rest.expiresAt <= this.deps.clock.nowSeconds())
      throw new RelayError("SLOT_EXPIRED", "the slot was taken, and its content is kept no longer");
    const isOfMany = takerKey !== null && takerSignature !== null;
    const taker = isOfMany ? { publicKey: takerKey, signature: takerSignature } : undefined;
    return { ...rest, domain: this.deps.domain, content, signature, taker };
  }
}

function tooLarge(bytes: number, limit: number): RelayError {
  return new RelayError("MESSAGE_TOO_LARGE", `the content has ${bytes} bytes; the limit is ${limit}`);
}
