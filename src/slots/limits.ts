import type { AdmittedOrigin } from "../federation/model/types.js";
import { type LimitRequest, limitRequest } from "../limits/limit-request.js";
import type { SlotSettings } from "./config.js";

/** How many slots a device may take in an hour, and how many bytes it may write and keep; and how often it may ask other relays. */
export function takingLimits(
  { deviceId, isNew: isReduced }: { deviceId: string; isNew: boolean },
  { bytes, retentionSeconds }: { bytes: number; retentionSeconds: number },
  config: SlotSettings,
): { own: LimitRequest[]; ofPeers: LimitRequest[] } {
  const one = { ids: [deviceId], isReduced };
  const written = { ...one, cost: bytes };
  const kept = { ...written, windowSeconds: retentionSeconds };
  return {
    own: [
      limitRequest("slots_hour", one, config),
      limitRequest("slot_bytes_hour", written, config),
      limitRequest("slot_storage", kept, config),
    ],
    ofPeers: [limitRequest("peer_slots_hour", one, config), limitRequest("peer_slot_bytes_hour", written, config)],
  };
}

/** How many slots of this relay a network address may read in an hour. */
export function readingLimit(ip: string, slots: number, config: SlotSettings): LimitRequest {
  return limitRequest("slot_reads_hour", { ip, cost: slots }, config);
}

/** How many slots of other relays a device may read in a minute. What all may: peer-share.ts. */
export function peerReadingLimit(deviceId: string, slots: number, config: SlotSettings): LimitRequest {
  return limitRequest("peer_slot_reads_minute", { ids: [deviceId], cost: slots }, config);
}

/** How many slots of other relays all devices at a network address may read in a minute. */
export function peerReadingLimitOfNetwork(ip: string, slots: number, config: SlotSettings): LimitRequest {
  return limitRequest("peer_slot_reads_of_network", { ip, cost: slots }, config);
}

/** How many slots the relays of a registrable domain may take, and how many bytes they may write. */
export function originTakingLimits(
  { registrable, divisor }: AdmittedOrigin,
  bytes: number,
  config: SlotSettings,
): LimitRequest[] {
  const about = { ids: [registrable], divisor };
  return [
    limitRequest("federation_slots", about, config),
    limitRequest("federation_slot_bytes", { ...about, cost: bytes }, config),
  ];
}

/** How much of the space these relays may fill, whatever their reputation. */
export function originStorageLimit(
  { registrable }: AdmittedOrigin,
  { bytes, retentionSeconds }: { bytes: number; retentionSeconds: number },
  config: SlotSettings,
): LimitRequest {
  const about = { ids: [registrable], cost: bytes, windowSeconds: retentionSeconds };
  return limitRequest("federation_slot_storage", about, config);
}

/** How many slots these relays may read in a minute. */
export function originReadingLimit({ registrable, divisor }: AdmittedOrigin, config: SlotSettings): LimitRequest {
  return limitRequest("federation_slot_reads", { ids: [registrable], divisor }, config);
}

/** The bytes that all slots may have with one that another relay takes: other relays cannot fill the whole space. */
export function spaceForPeers(config: SlotSettings): number {
  return Math.floor(config.slotStorageBytes * config.slotStoragePeerShare);
}
