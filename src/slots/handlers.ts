import type { SlotsHandlers } from "../../generated/handlers.js";
import { decodeBase64, decodeHex, encodeBase64, encodeHex } from "../protocol/encodings.js";
import { errorCatalogue, invalidMember } from "../protocol/errors.js";
import type { SlotsService } from "./service.js";
import type { Slot, SlotContent, SlotReading, TakenSlot } from "./types.js";

const noStore = { "Cache-Control": "no-store" } as const;

/** Commit slots on the wire. */
export function createSlotsHandlers({ slots }: { slots: SlotsService }): SlotsHandlers {
  return {
    async takeSlot(call) {
      const { body, params, principal } = call;
      const slot = readHex(params.slot);
      const wanted = { ...readTaking(slot, body), domain: body.domain };
      const taken = await slots.take(principal.deviceId, wanted, call);
      return call.reply({ status: 200, headers: noStore, body: showTaken(slot, taken) });
    },
    async getSlot(call) {
      const slot = readHex(call.params.slot);
      const by = { ip: call.ip, deviceId: call.principal?.deviceId };
      const found = await slots.read(by, { slot, domain: call.query.domain }, call);
      return call.reply({ status: 200, headers: noStore, body: showSlot(slot, found) });
    },
    async readSlots(call) {
      const { body, ip, principal, query } = call;
      const wanted = { slots: body.slots.map(readHex), domain: query.domain };
      const found = await slots.readMany({ ip, deviceId: principal?.deviceId }, wanted, call);
      const shown = body.slots.map((slot, i) => ({ slot, ...showReading(readHex(slot), found[i]) }));
      return call.reply({ status: 200, headers: noStore, body: { slots: shown } });
    },
    async askSlot(call) {
      const { body, headers, principal } = call;
      const slot = readHex(body.slot);
      const { content, slot_key, public_key, signature, path } = body;
      const taking =
        content === undefined || slot_key === undefined || public_key === undefined || signature === undefined
          ? undefined
          : readTaking(slot, { content, slot_key, public_key, signature, path });
      const isReading = [content, slot_key, public_key, signature].every((member) => member === undefined);
      if (taking === undefined && !isReading)
        throw invalidMember(
          "content",
          "must come with slot_key, public_key and signature, and none of them without it",
        );
      const taken = await slots.answerPeer(
        {
          caller: principal.domain,
          originHeader: headers["x-origin-server"],
          originServer: body.origin_server,
          slot,
          taking,
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

function showSlot(slot: Buffer, found: Slot) {
  return { content: encodeBase64(found.content), ...showReceipt(slot, found) };
}

function showReading(slot: Buffer, found: SlotReading | undefined) {
  if (found === undefined || found.kind === "free") return { taken: false };
  if (found.kind === "left out") return { taken: true };
  if (found.kind === "taken") return { taken: true, ...showSlot(slot, found) };
  const { error, code } = errorCatalogue.SLOT_EXPIRED;
  return { taken: true, error, code };
}

function showReceipt(slot: Buffer, { domain, contentHash, slotKey, signature, taker, expiresAt }: Slot) {
  return {
    receipt: {
      domain,
      slot: encodeHex(slot),
      content_sha256: encodeHex(contentHash),
      slot_key: encodeHex(slotKey),
      signature: encodeHex(signature),
    },
    ...(taker && { taker: { public_key: encodeHex(taker.publicKey), signature: encodeHex(taker.signature) } }),
    expires_at: expiresAt,
  };
}

interface SignedContent {
  content: string;
  slot_key: string;
  public_key: string;
  signature: string;
  path?: readonly string[] | undefined;
}

function readTaking(slot: Buffer, { content, slot_key, public_key, signature, path }: SignedContent): SlotContent {
  const [slotKey, publicKey] = [readHex(slot_key), readHex(public_key)];
  return { slot, content: readContent(content), slotKey, publicKey, signature, path: path?.map(readHex) };
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
