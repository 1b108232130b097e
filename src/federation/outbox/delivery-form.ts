import type { PeerOffers } from "../peers/types.js";

/** The extensions of the specification that a delivery may use. Each needs the peer's announcement. */
export interface DeliveryForm {
  /** Whether messages that share a ciphertext are sent with one copy of it. Bytes are counted accordingly. */
  shares: boolean;
  /** Whether ciphertexts are attached to the JSON as bytes. */
  attached: boolean;
  /** Whether messages carry `dedup_tag`. */
  tags: boolean;
  /** Whether messages carry `system_event`. */
  events: boolean;
}

/** Exactly what the specification names: every peer takes it. */
export const plainForm: DeliveryForm = { shares: false, attached: false, tags: false, events: false };

export function formOf(offers: PeerOffers): DeliveryForm {
  return {
    shares: offers.sharesCiphertexts,
    attached: offers.attachesCiphertexts,
    tags: offers.takesDedupTags,
    events: offers.takesSystemEvents,
  };
}
