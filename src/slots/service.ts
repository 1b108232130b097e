import { invalidToken } from "../auth/tokens.js";
import type { Device, DevicesService } from "../devices/service.js";
import type { FederationService } from "../federation/service.js";
import type { Schedule } from "../node/schedule.js";
import { comparedDomain } from "../protocol/address.js";
import { decodeHex } from "../protocol/encodings.js";
import { invalidMember, type RelayError } from "../protocol/errors.js";
import type { LimitObserver, LimitState } from "../protocol/rate-limit.js";
import { hourSeconds } from "../protocol/units.js";
import type { LimitRequest } from "../rate-limit/limits.js";
import type { RateLimiter } from "../rate-limit/rate-limiter.js";
import type { SlotSettings } from "./config.js";
import {
  isNewDevice,
  limitError,
  originReadLimits,
  originStorageLimit,
  originTakeLimits,
  peerReadLimits,
  peerShare,
  peerTakeLimits,
  readLimit,
  refuseBarredTaking,
  type SlotLimitConfig,
  takeLimits,
} from "./limits.js";
import { createPeerSlots } from "./peer-slots.js";
import { createRoom, readingBytes, readingOf, slotsPerReadingOf } from "./reading.js";
import { createSlotRegister, type SlotPolicy, type SlotRegisterDeps } from "./register.js";
import { demandHolder } from "./taking-signature.js";
import type { Slot, SlotContent, SlotReading, TakenSlot } from "./types.js";

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

/** Who reads. */
interface Reading {
  ip: string;
  deviceId: string | undefined;
}

/** Commit slots: registers that take content once, named after keys that only the members of a group can compute. */
export interface SlotsService {
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Takes a slot of this relay, or of the relay `domain`, or says what has taken it. `won` also if the same content took it
   * before. Throws INVALID_REQUEST or INVALID_SIGNATURE if the key that the slot is named after has not signed the content, and
   * SLOTS_RESTARTED, SLOT_EXPIRED, RATE_LIMIT_EXCEEDED, MESSAGE_TOO_LARGE or QUEUE_FULL; for another relay also
   * INVALID_ADDRESS, FEDERATION_DISABLED, FEDERATION_FAILED and PEER_UNAVAILABLE, after which the slot may be taken.
   */
  take(
    deviceId: string,
    wanted: SlotContent & { domain?: string | undefined },
    observer?: LimitObserver,
  ): Promise<TakenSlot>;
  /**
   * Throws NOT_FOUND, SLOT_EXPIRED or RATE_LIMIT_EXCEEDED; for another relay the same as `take`, and INVALID_TOKEN without a
   * device.
   */
  read(by: Reading, wanted: { slot: Buffer; domain?: string | undefined }, observer?: LimitObserver): Promise<Slot>;
  /** Many slots of one relay, in their order. Throws INVALID_REQUEST for more than the policy allows, otherwise like `read`. */
  readMany(
    by: Reading,
    wanted: { slots: readonly Buffer[]; domain?: string | undefined },
    observer?: LimitObserver,
  ): Promise<SlotReading[]>;
  /** Takes or reads a slot of this relay for another one. Throws what the contract lists. */
  answerPeer(request: PeerSlotRequest, observer?: LimitObserver): Promise<TakenSlot>;
  /** Throws what a device would be refused with for any content, at any relay. Asked before a long body is read. */
  checkBeforeBody(
    request: { deviceId: string; slot: string; bodyBytes: number },
    observer?: LimitObserver,
  ): Promise<void>;
  /** The same for another relay. */
  checkPeerBeforeBody(caller: { domain: string }): Promise<void>;
  policy(): SlotPolicy;
  /** Removes content that has expired and slots that may be forgotten. */
  removeExpired(): Promise<void>;
  /** The limits of a device that takes slots. */
  limitsOf(device: Device): LimitRequest[];
}

interface SlotsDeps extends SlotRegisterDeps {
  devices: Pick<DevicesService, "find" | "findAll">;
  rateLimiter: Pick<RateLimiter, "count" | "take" | "read" | "keyOf">;
  federation: Pick<FederationService, "admitRequest" | "admitCaller" | "askForSlot" | "callsPeers">;
  config: SlotLimitConfig & SlotRegisterDeps["config"] & Pick<SlotSettings, "slotStoragePeerShare">;
}

/** What a request would write, and who is told of its limits. */
interface Counted {
  bytes: number;
  observer: LimitObserver | undefined;
}

export function createSlotsService(deps: SlotsDeps): SlotsService {
  const { db, clock, devices, rateLimiter, federation, config } = deps;
  const register = createSlotRegister(deps);
  const peers = createPeerSlots({ clock, ask: (domain, question) => federation.askForSlot(domain, question) });
  const isOwn = (domain: string | undefined) =>
    domain === undefined || comparedDomain(domain) === comparedDomain(deps.domain);
  const limitsOf = (device: Device, bytes: number) => {
    const [now, retentionSeconds] = [clock.nowSeconds(), register.retentionSeconds()];
    const about = { device, now, retentionSeconds, settings: deps.settings.current(), config };
    return { own: takeLimits(bytes, about), ofPeers: peerTakeLimits(bytes, about) };
  };
  const admitted = (device: Device | undefined, { bytes, observer }: Counted) => {
    if (device === undefined) throw invalidToken("the device is no longer registered here");
    refuseBarredTaking(device, clock.nowSeconds(), observer);
    return limitsOf(device, bytes);
  };

  const countShare = async (
    kind: "readings" | "takings",
    { domain, ...asked }: { domain: string; deviceId: string; slots: number },
  ): Promise<void> => {
    const { open, reserved, ofNewDevices } = peerShare(kind, { ...asked, domain: comparedDomain(domain) }, config);
    const { refused } = await rateLimiter.take(db, [open]);
    if (refused === undefined) return;
    const device = await devices.find(db, asked.deviceId);
    const isNew =
      device === undefined || isNewDevice(device, { now: clock.nowSeconds(), settings: deps.settings.current() });
    await rateLimiter.count(db, isNew ? [reserved, ofNewDevices] : [reserved]);
  };

  /** Counts readings. Returns the relay with the slots if it is another one. */
  const countReading = async (
    { ip, deviceId }: Reading,
    { domain, slots }: { domain: string | undefined; slots: number },
    observer: LimitObserver | undefined,
  ): Promise<string | undefined> => {
    if (domain === undefined || isOwn(domain)) {
      await rateLimiter.count(db, [readLimit({ ip, slots }, config)], observer);
      return undefined;
    }
    if (deviceId === undefined) throw invalidToken("reading a commit slot of another relay needs a device's token");
    await rateLimiter.count(db, peerReadLimits({ ip, deviceId, slots }, config), observer);
    await countShare("readings", { domain, deviceId, slots });
    return domain;
  };

  return {
    start: () => register.start(),
    stop: () => register.stop(),
    async take(deviceId, { domain, ...wanted }, observer) {
      demandHolder(wanted, domain ?? deps.domain);
      const taking = { bytes: wanted.content.length, observer };
      if (domain === undefined || isOwn(domain)) {
        const limitsOfTaker = (device: Device | undefined) => admitted(device, taking).own;
        return register.take(wanted, {
          deviceId,
          limitsOf: limitsOfTaker,
          storageBytes: config.slotStorageBytes,
          observer,
        });
      }
      const { ofPeers } = admitted(await devices.find(db, deviceId), taking);
      await rateLimiter.count(db, ofPeers, observer);
      await countShare("takings", { domain, deviceId, slots: 1 });
      return peers.take(domain, wanted);
    },
    async read(by, { slot, domain }, observer) {
      const owner = await countReading(by, { domain, slots: 1 }, observer);
      return owner === undefined ? register.read(slot) : peers.read(owner, slot);
    },
    async readMany(by, { slots, domain }, observer) {
      const { own, ofPeers } = slotsPerReadingOf(config);
      const most = isOwn(domain) ? own : ofPeers;
      if (slots.length > most) throw invalidMember("slots", `must have at most ${most} items`);
      const owner = await countReading(by, { domain, slots: slots.length }, observer);
      if (owner === undefined) return register.readMany(slots, readingBytes);
      const room = createRoom(readingBytes);
      const read = async (slot: Buffer): Promise<SlotReading> => {
        const found = await readingOf(() => peers.read(owner, slot));
        return found.kind === "taken" && !room.takes(found.content.length) ? { kind: "left out" } : found;
      };
      return Promise.all(slots.map(read));
    },
    async answerPeer({ slot, taking, ...caller }, observer) {
      const origin = await federation.admitRequest(caller);
      if (taking === undefined) {
        await rateLimiter.count(db, originReadLimits(origin, config), observer);
        return { ...(await register.read(slot)), won: false };
      }
      // Repetitions count, so the limits are not those of the transaction that takes the slot.
      await rateLimiter.count(db, originTakeLimits(origin, { bytes: taking.content.length, config }), observer);
      demandHolder(taking, deps.domain);
      const storageBytes = Math.floor(config.slotStorageBytes * config.slotStoragePeerShare);
      const share = { bytes: taking.content.length, retentionSeconds: register.retentionSeconds(), config };
      return register.take(taking, { limitsOf: () => [originStorageLimit(origin, share)], storageBytes });
    },
    async checkBeforeBody({ deviceId, slot, bodyBytes }, observer) {
      const contentBytes = leastContent(bodyBytes);
      const limits = admitted(await devices.find(db, deviceId), { bytes: contentBytes, observer });
      // A repetition is answered whatever has been used up.
      if (await register.isTaken(Buffer.from(decodeHex(slot) ?? []))) return;
      const refused = async (requests: readonly LimitRequest[]) => {
        const states = await rateLimiter.read(db, requests);
        observer?.observeLimits(states, clock.nowSeconds());
        return refusalOf(requests, states, clock.nowSeconds());
      };
      const refusal = (await refused(limits.own)) ?? (await register.refusalOf(contentBytes, config.slotStorageBytes));
      // Only the body says whether the slot is another relay's.
      if (refusal !== undefined && (!federation.callsPeers() || (await refused(limits.ofPeers)))) throw refusal;
    },
    async checkPeerBeforeBody({ domain }) {
      const limits = originTakeLimits(await federation.admitCaller(domain), { bytes: 0, config });
      const refusal = refusalOf(limits, await rateLimiter.read(db, limits), clock.nowSeconds());
      if (refusal !== undefined) throw refusal;
    },
    policy: () => register.policy(),
    removeExpired: () => register.removeExpired(),
    limitsOf(device) {
      const { own, ofPeers } = limitsOf(device, 0);
      return [...own, ...ofPeers].map((limit) => ({ ...limit, cost: 0 }));
    },
  };
}

/** The error for the first request that a window has no room for. */
function refusalOf(
  requests: readonly LimitRequest[],
  states: readonly LimitState[],
  now: number,
): RelayError | undefined {
  const index = requests.findIndex(({ cost = 1 }, i) => (states[i]?.remaining ?? 0) < Math.max(1, cost));
  const [request, state] = [requests[index], states[index]];
  if (request === undefined || state === undefined) return undefined;
  return limitError({ ...request, resetAt: state.resetAt }, now);
}

/** The content of a long body is base64, so it has more than half of its bytes. */
function leastContent(bodyBytes: number): number {
  return Math.floor(bodyBytes / 2);
}

/** Schedules the removal of expired slots, once an hour. */
export function scheduleSlotsJobs(schedule: Pick<Schedule, "cleanUpEvery">, slots: SlotsService): void {
  schedule.cleanUpEvery("slots.clean-up", hourSeconds, () => slots.removeExpired());
}
