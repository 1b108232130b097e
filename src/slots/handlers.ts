import type { SlotsHandlers } from "../../generated/handlers.js";
import { decodeBase64, decodeHex, encodeBase64, encodeHex } from "../protocol/encodings.js";
import { invalidMember } from "../protocol/errors.js";
import type { SlotsService } from "./service.js";
import type { Slot, SlotContent, TakenSlot } from "./types.js";

const noStore = { "Cache-Control": "no-store" } as const;

/** Commit slots on the wire. */
export function createSlotsHandlers({ slots }: { slots: SlotsService }): SlotsHandlers {
  return {
    async takeSlot(call) {
      const { body, params, principal } = call;
      const slot = readHex(params.slot);
      const wanted = { ...readTaking(slot, body.content, body.slot_key), domain: body.domain };
      const taken = await slots.take(principal.deviceId, wanted, call);
      return call.reply({ status: 200, headers: noStore, body: showTaken(slot, taken) });
    },
    async getSlot(call) {
      const slot = readHex(call.params.slot);
      const found = await slots.read(call.ip, { slot, domain: call.query.domain }, call);
      const body = { content: encodeBase64(found.content), ...showReceipt(slot, found) };
      return call.reply({ status: 200, headers: noStore, body });
    },
    async askSlot(call) {
      const { body, headers, principal } = call;
      const slot = readHex(body.slot);
      if ((body.content === undefined) !== (body.slot_key === undefined))
        throw invalidMember("slot_key", "must come with content, and content with slot_key");
      const { content, slot_key: key } = body;
      const taken = await slots.answerPeer(
        {
          caller: principal.domain,
          originHeader: headers["x-origin-server"],
          originServer: body.origin_server,
          slot,
          taking: content === undefined || key === undefined ? undefined : readTaking(slot, content, key),
        },
        call,
      );
      return call.reply({ status: 200, headers: noStore, body: showTaken(slot, taken) });
    },
  };
}

function showTaken(slot: Buffer, taken: TakenSlot) {
  const lost = taken.won ? {} : { content: encodeBase64(taken.content) };
  return { won: taken.won, ...lost, ...showReceipt(slot, taken) };
}

function showReceipt(slot: Buffer, { domain, contentHash, slotKey, signature, expiresAt }: Slot) {
  return {
    receipt: {
      domain,
      slot: encodeHex(slot),
      content_sha256: encodeHex(contentHash),
      slot_key: encodeHex(slotKey),
      signature: encodeHex(signature),
    },
    expires_at: expiresAt,
  };
}

function readTaking(slot: Buffer, content: string, slotKey: string): SlotContent {
  return { slot, content: readContent(content), slotKey: readHex(slotKey) };
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
