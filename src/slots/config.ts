import { constant, integer, type ValuesOf } from "../platform/config/setting.js";
import { gibibyte, mebibyte } from "../protocol/units.js";

/** Commit slots. */
export const slotSettings = {
  slotStorageBytes: integer("Maximum bytes of the content of all commit slots together", {
    default: 4 * gibibyte,
    min: mebibyte,
    max: 65_536 * gibibyte,
  }),
  slotRetentionDays: integer("Days for which a commit slot keeps its content", { default: 30, min: 1, max: 3650 }),
  slotMemoryDays: integer("Days for which a commit slot stays taken", { default: 730, min: 60, max: 36_500 }),
  slotReadsPerIpHour: integer("Readings of commit slots per IP and hour", { default: 6_000, min: 1, max: 100_000_000 }),
  federationSlotsPerMinute: integer("Requests to take commit slots per peer and minute", {
    default: 600,
    min: 1,
    max: 10_000_000,
  }),
  federationSlotReadsPerMinute: integer("Commit slots read per peer and minute", {
    default: 600,
    min: 1,
    max: 10_000_000,
  }),
  federationSlotBytesPerHour: integer("Bytes of commit slots written per peer and hour", {
    default: 256 * mebibyte,
    min: mebibyte,
    max: 1024 * gibibyte,
  }),
};

export const slotConstants = {
  slotContentBytes: constant("Largest content of a commit slot", mebibyte),
  slotsPerHour: constant("Commit slots taken per device and hour", 240),
  newTierSlotsPerHour: constant("The same for a new device", 30),
  slotTakingsAtOnce: constant("Requests of a device that take commit slots, in progress at once per node", 8),
  slotStorageDeviceShare: constant(
    "Share of the space for commit slots that a device can fill in SLOT_RETENTION_DAYS",
    0.02,
  ),
  newTierSlotStorageShare: constant("The same for a new device", 0.005),
  slotStorageOnePeerShare: constant("The same for the relays of one registrable domain", 0.125),
  slotStoragePeerShare: constant("Share of the space for commit slots that other relays can fill", 0.5),
  peerSlotsPerHour: constant("Requests of a device for commit slots of other relays in an hour", 960),
  newTierPeerSlotsPerHour: constant("The same for a new device", 120),
  peerSlotBytesPerHour: constant("Bytes of these requests in an hour", 8 * mebibyte),
  newTierPeerSlotBytesPerHour: constant("The same for a new device", 2 * mebibyte),
  peerSlotReserved: constant(
    "Another relay's slots that each device may still read, or take, per minute when half of that relay's limit is used up",
    16,
  ),
  peerSlotReadsPerMinute: constant("Readings of commit slots of other relays per device and minute", 60),
  peerSlotReadsPerIpMinute: constant("Readings of commit slots of other relays per IP and minute", 240),
  slotBytesPerHour: constant("Bytes of commit slots written per device and hour", 32 * mebibyte),
  newTierSlotBytesPerHour: constant("The same for a new device", 4 * mebibyte),
};

export type SlotSettings = ValuesOf<typeof slotSettings & typeof slotConstants>;
