import { integer, type ValuesOf } from "../platform/config/setting.js";
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
};

export const slotConstants = {
  slotContentBytes: integer("Largest content of a commit slot", {
    default: mebibyte,
    min: kibibyte,
    max: 64 * mebibyte,
  }),
  slotsPerHour: integer("Commit slots that a device may take in an hour", { default: 240, min: 1, max: 1_000_000 }),
  newTierSlotsPerHour: integer("The same for a new device", { default: 30, min: 1, max: 1_000_000 }),
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
