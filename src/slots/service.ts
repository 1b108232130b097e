import { invalidToken } from "../auth/tokens.js";
import type { Device, DevicesService } from "../devices/service.js";
import type { FederationService } from "../federation/service.js";
import type { Schedule } from "../node/schedule.js";
import { comparedDomain } from "../protocol/address.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { rateLimitExceeded } from "../protocol/rate-limit.js";
import { hourSeconds } from "../protocol/units.js";
import type { LimitRequest } from "../rate-limit/limits.js";
import type { RateLimiter } from "../rate-limit/rate-limiter.js";
import type { SlotSettings } from "./config.js";
import {
  originReadLimits,
  originTakeLimits,
  peerReadLimit,
  peerTakeLimits,
  readLimit,
  refuseBarredTaking,
  type SlotLimitConfig,
  takeLimits,
} from "./limits.js";
import { createPeerSlots } from "./peer-slots.js";
import { createSlotRegister, type SlotPolicy, type SlotRegisterDeps } from "./register.js";
import type { Slot, SlotContent, TakenSlot } from "./types.js";

export { slotKeySecret } from "./receipt.js";

/** A request of another relay. Without `taking`, the slot is only read. */
interface PeerSlotRequest {
  /** The domain that the token was issued to. */
  caller: string;
  originHeader: string;
  originServer: string;
  slot: Buffer;
  taking?: SlotContent | undefined;
}

/** Commit slots: registers that take content once, under names that only the members of a group can compute. */
export interface SlotsService {
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Takes a slot of this relay, or of the relay `domain`, or says what has taken it. `won` also if the same content took it
   * before. Throws SLOTS_RESTARTED, SLOT_EXPIRED, RATE_LIMIT_EXCEEDED, MESSAGE_TOO_LARGE or QUEUE_FULL; for another relay also
   * INVALID_ADDRESS, FEDERATION_DISABLED, FEDERATION_FAILED and PEER_UNAVAILABLE, after which the slot may be taken.
   */
  take(
    deviceId: string,
    wanted: SlotContent & { domain?: string | undefined },
    observer?: LimitObserver,
  ): Promise<TakenSlot>;
  /** Throws NOT_FOUND, SLOT_EXPIRED or RATE_LIMIT_EXCEEDED; for another relay the same as `take`. */
  read(ip: string, wanted: { slot: Buffer; domain?: string | undefined }, observer?: LimitObserver): Promise<Slot>;
  /** Takes or reads a slot of this relay for another one. Throws what the contract lists. */
  answerPeer(request: PeerSlotRequest, observer?: LimitObserver): Promise<TakenSlot>;
  /** Throws what another relay would be refused with for any content. Asked before a long body is read. */
  checkBeforeBody(caller: { domain: string }): Promise<void>;
  policy(): SlotPolicy;
  /** Removes content that has expired and slots that may be forgotten. */
  removeExpired(): Promise<void>;
  /** The limits of a device that takes slots. */
  limitsOf(device: Device): LimitRequest[];
}

interface SlotsDeps extends SlotRegisterDeps {
  devices: Pick<DevicesService, "find" | "findAll">;
  rateLimiter: Pick<RateLimiter, "count" | "read" | "keyOf">;
  federation: Pick<FederationService, "admitRequest" | "admitCaller" | "askForSlot">;
  config: SlotLimitConfig &
    SlotRegisterDeps["config"] &
    Pick<SlotSettings, "slotStorageBytes" | "slotStoragePeerShare">;
}

export function createSlotsService(deps: SlotsDeps): SlotsService {
  const { db, clock, devices, rateLimiter, federation, config } = deps;
  const register = createSlotRegister(deps);
  const peers = createPeerSlots({ ask: (domain, question) => federation.askForSlot(domain, question) });
  const isOwn = (domain: string | undefined) =>
    domain === undefined || comparedDomain(domain) === comparedDomain(deps.domain);
  const limitsOf = (device: Device, bytes: number) => {
    const about = { device, now: clock.nowSeconds(), settings: deps.settings.current(), config };
    return { own: takeLimits(bytes, about), ofPeers: peerTakeLimits(bytes, about) };
  };

  return {
    start: () => register.start(),
    stop: () => register.stop(),
    async take(deviceId, { domain, ...wanted }, observer) {
      const bytes = wanted.content.length;
      const admitted = (device: Device | undefined) => {
        if (device === undefined) throw invalidToken("the device is no longer registered here");
        refuseBarredTaking(device, clock.nowSeconds(), observer);
        return limitsOf(device, bytes);
      };
      if (domain === undefined || isOwn(domain)) {
        const limitsOfTaker = (device: Device | undefined) => admitted(device).own;
        return register.take(wanted, {
          deviceId,
          limitsOf: limitsOfTaker,
          storageBytes: config.slotStorageBytes,
          observer,
        });
      }
      const { ofPeers } = admitted(await devices.find(db, deviceId));
      await rateLimiter.count(db, ofPeers, observer);
      return peers.take(domain, wanted);
    },
    async read(ip, { slot, domain }, observer) {
      if (domain === undefined || isOwn(domain)) {
        await rateLimiter.count(db, [readLimit(ip, config)], observer);
        return register.read(slot);
      }
      await rateLimiter.count(db, [peerReadLimit(ip, config)], observer);
      return peers.read(domain, slot);
    },
    async answerPeer({ slot, taking, ...caller }, observer) {
      const origin = await federation.admitRequest(caller);
      if (taking === undefined) {
        await rateLimiter.count(db, originReadLimits(origin, config), observer);
        return { ...(await register.read(slot)), won: false };
      }
      // Repetitions count, so the limits are not those of the transaction that takes the slot.
      await rateLimiter.count(db, originTakeLimits(origin, { bytes: taking.content.length, config }), observer);
      const storageBytes = Math.floor(config.slotStorageBytes * config.slotStoragePeerShare);
      return register.take(taking, { limitsOf: () => [], storageBytes });
    },
    async checkBeforeBody({ domain }) {
      const limits = originTakeLimits(await federation.admitCaller(domain), { bytes: 0, config });
      const spent = (await rateLimiter.read(db, limits)).find(({ remaining }) => remaining === 0);
      if (spent === undefined) return;
      const { limit, resetAt } = spent;
      throw rateLimitExceeded("too many commit slots", { limit, resetAt, now: clock.nowSeconds() });
    },
    policy: () => register.policy(),
    removeExpired: () => register.removeExpired(),
    limitsOf(device) {
      const { own, ofPeers } = limitsOf(device, 0);
      return [...own, ...ofPeers].map((limit) => ({ ...limit, cost: 0 }));
    },
  };
}

/** Schedules the removal of expired slots, once an hour. */
export function scheduleSlotsJobs(schedule: Pick<Schedule, "cleanUpEvery">, slots: SlotsService): void {
  schedule.cleanUpEvery("slots.clean-up", hourSeconds, () => slots.removeExpired());
}
