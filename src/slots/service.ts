import { invalidToken } from "../auth/tokens.js";
import type { Device, DevicesService } from "../devices/service.js";
import type { FederationService } from "../federation/service.js";
import { refuseBarred } from "../limits/barred.js";
import { type LimitRequest, limitError } from "../limits/limit-request.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { NodeSettings } from "../node/config.js";
import type { Schedule } from "../node/schedule.js";
import { comparedDomain } from "../protocol/address.js";
import { decodeHex } from "../protocol/encodings.js";
import { invalidMember, type RelayError } from "../protocol/errors.js";
import type { LimitObserver, LimitState } from "../protocol/rate-limit.js";
import { isNewDevice } from "../protocol/trust-tier.js";
import { hourSeconds } from "../protocol/units.js";
import type { SlotSettings } from "./config.js";
import { removeExpiredSlots, retentionSecondsOf } from "./expiry.js";
import {
  originReadingLimit,
  originStorageLimit,
  originTakingLimits,
  peerReadingLimit,
  peerReadingLimitOfNetwork,
  readingLimit,
  spaceForPeers,
  takingLimits,
} from "./limits.js";
import { peerShare } from "./peer-share.js";
import { createPeerSlots, type PeerSlots } from "./peer-slots.js";
import { createRoom, demandDevice, readingBytes, readingOf, slotsPerReadingOf } from "./reading.js";
import { type SlotPolicy, SlotRegister, type SlotRegisterDeps } from "./register.js";
import { demandHolder } from "./taking-signature.js";
import type { Slot, SlotContent, SlotReading, TakenSlot } from "./types.js";

export { voidSlotKey } from "./key-replacement.js";

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

interface SlotsDeps extends SlotRegisterDeps {
  devices: Pick<DevicesService, "find" | "findAll">;
  rateLimiter: Pick<RateLimiter, "count" | "take" | "read" | "keyOf">;
  federation: Pick<FederationService, "admitRequest" | "admitCaller" | "askForSlot" | "callsPeers">;
  config: SlotSettings & SlotRegisterDeps["config"] & Pick<NodeSettings, "expiryStepRows">;
}

/** What a request would write, and who is told of its limits. */
interface Counted {
  bytes: number;
  observer: LimitObserver | undefined;
}

/** Commit slots: registers that take content once, named after keys that only the members of a group can compute. */
export class SlotsService {
  private readonly deps: SlotsDeps;
  private readonly register: SlotRegister;
  private readonly peers: PeerSlots;

  constructor(deps: SlotsDeps) {
    this.deps = deps;
    this.register = new SlotRegister(deps);
    this.peers = createPeerSlots({
      clock: deps.clock,
      ask: (domain, question) => deps.federation.askForSlot(domain, question),
    });
  }

  start(): Promise<void> {
    return this.register.start();
  }

  stop(): Promise<void> {
    return this.register.stop();
  }

  /**
   * Takes a slot of this relay, or of the relay `domain`, or says what has taken it. `won` also if the same content took it
   * before. Throws INVALID_REQUEST or INVALID_SIGNATURE if the key that the slot is named after has not signed the content, and
   * SLOTS_RESTARTED, SLOT_EXPIRED, RATE_LIMIT_EXCEEDED, MESSAGE_TOO_LARGE or QUEUE_FULL; for another relay also
   * INVALID_ADDRESS, FEDERATION_DISABLED, FEDERATION_FAILED and PEER_UNAVAILABLE, after which the slot may be taken.
   */
  async take(
    deviceId: string,
    { domain, ...wanted }: SlotContent & { domain?: string | undefined },
    observer?: LimitObserver,
  ): Promise<TakenSlot> {
    const { db, devices, rateLimiter, config } = this.deps;
    demandHolder(wanted, domain ?? this.deps.domain);
    const taking = { bytes: wanted.content.length, observer };
    if (domain === undefined || this.isOwn(domain)) {
      const limitsOfTaker = (device: Device | undefined) => this.admitted(device, taking).own;
      return this.register.take(wanted, {
        deviceId,
        limitsOf: limitsOfTaker,
        storageBytes: config.slotStorageBytes,
        observer,
      });
    }
    const { ofPeers } = this.admitted(await devices.find(db, deviceId), taking);
    await rateLimiter.count(db, ofPeers, observer);
    await this.countShare("takings", { domain, deviceId, slots: 1 });
    return this.peers.take(domain, wanted);
  }

  /**
   * Throws NOT_FOUND, SLOT_EXPIRED or RATE_LIMIT_EXCEEDED; for another relay the same as `take`, and INVALID_TOKEN without a
   * device.
   */
  async read(
    by: Reading,
    { slot, domain }: { slot: Buffer; domain?: string | undefined },
    observer?: LimitObserver,
  ): Promise<Slot> {
    const owner = await this.countReading(by, { domain, slots: 1 }, observer);
    return owner === undefined ? this.register.read(slot) : this.peers.read(owner, slot);
  }

  /** Many slots of one relay, in their order. Throws INVALID_REQUEST for more than the policy allows, otherwise like `read`. */
  async readMany(
    by: Reading,
    { slots, domain }: { slots: readonly Buffer[]; domain?: string | undefined },
    observer?: LimitObserver,
  ): Promise<SlotReading[]> {
    const { config } = this.deps;
    const { own, ofPeers } = slotsPerReadingOf(config);
    const most = this.isOwn(domain) ? own : ofPeers;
    if (slots.length > most) throw invalidMember("slots", `must have at most ${most} items`);
    const owner = await this.countReading(by, { domain, slots: slots.length }, observer);
    if (owner === undefined) return this.register.readMany(slots, readingBytes);
    const room = createRoom(readingBytes);
    const read = async (slot: Buffer): Promise<SlotReading> => {
      const found = await readingOf(() => this.peers.read(owner, slot));
      return found.kind === "taken" && !room.takes(found.content.length) ? { kind: "left out" } : found;
    };
    return Promise.all(slots.map(read));
  }

  /** Takes or reads a slot of this relay for another one. Throws what the contract lists. */
  async answerPeer({ slot, taking, ...caller }: PeerSlotRequest, observer?: LimitObserver): Promise<TakenSlot> {
    const { db, rateLimiter, federation, config } = this.deps;
    const origin = await federation.admitRequest(caller);
    if (taking === undefined) {
      await rateLimiter.count(db, [originReadingLimit(origin, config)], observer);
      return { ...(await this.register.read(slot)), won: false };
    }
    // Repetitions count, so the limits are not those of the transaction that takes the slot.
    const bytes = taking.content.length;
    await rateLimiter.count(db, originTakingLimits(origin, bytes, config), observer);
    demandHolder(taking, this.deps.domain);
    const share = originStorageLimit(origin, { bytes, retentionSeconds: retentionSecondsOf(this.deps) }, config);
    return this.register.take(taking, { limitsOf: () => [share], storageBytes: spaceForPeers(config) });
  }

  /** Throws what a device would be refused with for any content, at any relay. Asked before a long body is read. */
  async checkBeforeBody(
    { deviceId, slot, bodyBytes }: { deviceId: string; slot: string; bodyBytes: number },
    observer?: LimitObserver,
  ): Promise<void> {
    const { db, clock, devices, rateLimiter, federation, config } = this.deps;
    const contentBytes = leastContent(bodyBytes);
    const limits = this.admitted(await devices.find(db, deviceId), { bytes: contentBytes, observer });
    // A repetition is answered whatever has been used up.
    if (await this.register.isTaken(Buffer.from(decodeHex(slot) ?? []))) return;
    const refused = async (requests: readonly LimitRequest[]) => {
      const states = await rateLimiter.read(db, requests);
      observer?.observeLimits(states, clock.nowSeconds());
      return refusalOf(requests, states, clock.nowSeconds());
    };
    const refusal =
      (await refused(limits.own)) ?? (await this.register.refusalOf(contentBytes, config.slotStorageBytes));
    // Only the body says whether the slot is another relay's.
    if (refusal !== undefined && (!federation.callsPeers() || (await refused(limits.ofPeers)))) throw refusal;
  }

  /** The same for another relay. */
  async checkPeerBeforeBody({ domain }: { domain: string }): Promise<void> {
    const { db, clock, rateLimiter, federation, config } = this.deps;
    const limits = originTakingLimits(await federation.admitCaller(domain), 0, config);
    const refusal = refusalOf(limits, await rateLimiter.read(db, limits), clock.nowSeconds());
    if (refusal !== undefined) throw refusal;
  }

  policy(): SlotPolicy {
    return this.register.policy();
  }

  /** Removes content that has expired and slots that may be forgotten. */
  async removeExpired(): Promise<void> {
    const { db, clock, config } = this.deps;
    await removeExpiredSlots(db, { now: clock.nowSeconds(), stepRows: config.expiryStepRows });
  }

  /** The limits of a device that takes slots. */
  limitsOf(device: Device): LimitRequest[] {
    const { own, ofPeers } = this.limitsOfTaker(device, 0);
    return [...own, ...ofPeers, peerReadingLimit(device.deviceId, 0, this.deps.config)];
  }

  private isOwn(domain: string | undefined): boolean {
    return domain === undefined || comparedDomain(domain) === comparedDomain(this.deps.domain);
  }

  private isNew(device: Device): boolean {
    return isNewDevice(device, { now: this.deps.clock.nowSeconds(), settings: this.deps.settings.current() });
  }

  private limitsOfTaker(device: Device, bytes: number): ReturnType<typeof takingLimits> {
    const taker = { deviceId: device.deviceId, isNew: this.isNew(device) };
    return takingLimits(taker, { bytes, retentionSeconds: retentionSecondsOf(this.deps) }, this.deps.config);
  }

  private admitted(device: Device | undefined, { bytes, observer }: Counted) {
    const { clock } = this.deps;
    if (device === undefined) throw invalidToken("the device is no longer registered here");
    refuseBarred("slots_hour", { device, now: clock.nowSeconds() }, observer);
    return this.limitsOfTaker(device, bytes);
  }

  private async countShare(
    kind: "readings" | "takings",
    { domain, ...asked }: { domain: string; deviceId: string; slots: number },
  ): Promise<void> {
    const { db, devices, rateLimiter, config } = this.deps;
    const { open, reserved, ofNewDevices } = peerShare(kind, { ...asked, domain: comparedDomain(domain) }, config);
    const { refused } = await rateLimiter.take(db, [open]);
    if (refused === undefined) return;
    const device = await devices.find(db, asked.deviceId);
    const isNew = device === undefined || this.isNew(device);
    await rateLimiter.count(db, isNew ? [reserved, ofNewDevices] : [reserved]);
  }

  /** Counts readings. Returns the relay with the slots if it is another one. */
  private async countReading(
    { ip, deviceId: given }: Reading,
    { domain, slots }: { domain: string | undefined; slots: number },
    observer: LimitObserver | undefined,
  ): Promise<string | undefined> {
    const { db, rateLimiter, config } = this.deps;
    if (domain === undefined || this.isOwn(domain)) {
      await rateLimiter.count(db, [readingLimit(ip, slots, config)], observer);
      return undefined;
    }
    const deviceId = demandDevice(given);
    const limits = [peerReadingLimit(deviceId, slots, config), peerReadingLimitOfNetwork(ip, slots, config)];
    await rateLimiter.count(db, limits, observer);
    await this.countShare("readings", { domain, deviceId, slots });
    return domain;
  }
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
