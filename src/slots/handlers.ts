import type { SlotsHandlers } from "../../generated/handlers.js";
import { decodeBase64, decodeHex, encodeBase64, encodeHex } from "../protocol/encodings.js";
import { invalidMember } from "../protocol/errors.js";
import type { Slot, SlotsService } from "./service.js";

const noStore = { "Cache-Control": "no-store" } as const;

/** Commit slots on the wire. */
export function createSlotsHandlers({ slots, domain }: { slots: SlotsService; domain: string }): SlotsHandlers {
  const showReceipt = (slot: Buffer, { contentHash, slotKey, signature, expiresAt }: Slot) => ({
    receipt: {
      domain,
      slot: encodeHex(slot),
      content_sha256: encodeHex(contentHash),
      slot_key: encodeHex(slotKey),
      signature: encodeHex(signature),
    },
    expires_at: expiresAt,
  });

  return {
    async takeSlot(call) {
      const { body, params, principal } = call;
      const slot = readHex(params.slot);
      const request = { slot, content: readContent(body.content), slotKey: readHex(body.slot_key) };
      const taken = await slots.take(principal.deviceId, request, call);
      const lost = taken.won ? {} : { content: encodeBase64(taken.content) };
      return call.reply({
        status: 200,
        headers: noStore,
        body: { won: taken.won, ...lost, ...showReceipt(slot, taken) },
      });
    },
    async getSlot(call) {
      const slot = readHex(call.params.slot);
      const found = await slots.read(call.ip, slot, call);
      const body = { content: encodeBase64(found.content), ...showReceipt(slot, found) };
      return call.reply({ status: 200, headers: noStore, body });
    },
  };
}

/** The contract has checked the form. */
function readHex(text: string): Buffer {
  return Buffer.from(decodeHex(text) ?? []);
}

function readContent(text: string): Buffer {
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw invalidMember("content", "must be base64, padded and canonical");
  return Buffer.from(bytes);
}
