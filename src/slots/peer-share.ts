import { type LimitRequest, limitRequest } from "../limits/limit-request.js";
import type { SlotSettings } from "./config.js";

/**
 * All devices of this relay share what another one allows it, which is presumed to be what this one allows others. Half of
 * that is open to every device; when it is used up, each device has a little more, so that few devices cannot take all. New
 * devices, which are quickly made, have a quarter together then, so that they leave the last quarter to the others.
 */
export function peerShare(
  kind: "readings" | "takings",
  { domain, deviceId, slots }: { domain: string; deviceId: string; slots: number },
  config: SlotSettings,
): { open: LimitRequest; reserved: LimitRequest; ofNewDevices: LimitRequest } {
  const name = kind === "readings" ? "peer_slot_reads_of_domain" : "peer_slots_of_domain";
  const partOf = (...ids: string[]) => limitRequest(name, { ids: [domain, ...ids], cost: slots }, config);
  const [open, ofNewDevices] = [partOf(), partOf("new")];
  return {
    open: { ...open, limit: Math.ceil(open.limit / 2) },
    reserved: { ...partOf(deviceId), limit: config.peerSlotReserved },
    ofNewDevices: { ...ofNewDevices, limit: Math.ceil(ofNewDevices.limit / 4) },
  };
}
