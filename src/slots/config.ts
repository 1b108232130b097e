import { decimal, integer, type ValuesOf } from "../platform/config/setting.js";
import { gibibyte, kibibyte, mebibyte } from "../protocol/units.js";

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
  federationSlotsPerMinute: integer("Commit slots that a peer may ask to take per minute", {
    default: 600,
    min: 1,
    max: 10_000_000,
  }),
  federationSlotReadsPerMinute: integer("Commit slots that a peer may read per minute", {
    default: 600,
    min: 1,
    max: 10_000_000,
  }),
  federationSlotBytesPerHour: integer("Bytes of commit slots that a peer may write per hour", {
    default: 256 * mebibyte,
    min: mebibyte,
    max: 1024 * gibibyte,
  }),
};

export const slotConstants = {
  slotContentBytes: integer("Largest content of a commit slot", {
    default: mebibyte,
    min: kibibyte,
    max: 64 * mebibyte,
  }),
  slotsPerHour: integer("Commit slots that a device may take in an hour", { default: 240, min: 1, max: 1_000_000 }),
  newTierSlotsPerHour: integer("The same for a new device", { default: 30, min: 1, max: 1_000_000 }),
  slotTakingsAtOnce: integer("Requests of a device that take commit slots, in progress at once per node", {
    default: 8,
    min: 1,
    max: 1000,
  }),
  slotStorageDeviceShare: decimal("Share of the space for commit slots that a device can fill in SLOT_RETENTION_DAYS", {
    default: 0.02,
    min: 0,
    max: 1,
  }),
  newTierSlotStorageShare: decimal("The same for a new device", { default: 0.005, min: 0, max: 1 }),
  slotStorageOnePeerShare: decimal("The same for the relays of one registrable domain", {
    default: 0.125,
    min: 0,
    max: 1,
  }),
  slotStoragePeerShare: decimal("Share of the space for commit slots that other relays can fill", {
    default: 0.5,
    min: 0,
    max: 1,
  }),
  peerSlotsPerHour: integer("Requests of a device for commit slots of other relays in an hour", {
    default: 960,
    min: 1,
    max: 1_000_000,
  }),
  newTierPeerSlotsPerHour: integer("The same for a new device", { default: 120, min: 1, max: 1_000_000 }),
  peerSlotBytesPerHour: integer("Bytes of these requests in an hour", {
    default: 8 * mebibyte,
    min: kibibyte,
    max: gibibyte,
  }),
  newTierPeerSlotBytesPerHour: integer("The same for a new device", {
    default: 2 * mebibyte,
    min: kibibyte,
    max: gibibyte,
  }),
  peerSlotReserved: integer(
    "Readings, and takings, of another relay's slots left to each device a minute when half of what that relay allows is used up",
    { default: 16, min: 1, max: 1_000_000 },
  ),
  peerSlotReadsPerIpMinute: integer("Readings of commit slots of other relays per IP and minute", {
    default: 60,
    min: 1,
    max: 1_000_000,
  }),
  slotBytesPerHour: integer("Bytes of commit slots that a device may write in an hour", {
    default: 32 * mebibyte,
    min: kibibyte,
    max: gibibyte,
  }),
  newTierSlotBytesPerHour: integer("The same for a new device", {
    default: 4 * mebibyte,
    min: kibibyte,
    max: gibibyte,
  }),
};

export type SlotSettings = ValuesOf<typeof slotSettings & typeof slotConstants>;
