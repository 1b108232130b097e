// The custom media extension of a group: sticker packs and emoji (specification, "Group extensions"). Small items are
// stored in the extension itself, larger ones are files that it refers to. The relay never sees it.

import { decodeBase64, encodeBase64, utf8 } from "../../protocol/encodings.js";
import {
  demandList,
  demandObject,
  demandParsed,
  demandText,
  MalformedError,
  parseJsonObject,
} from "../runtime/json-shape.js";
import { type FileReference, readFileReference } from "./file-references.js";

/** The MLS extension type. */
export const customMediaType = 0xf001;
/** Maximum bytes of an item stored in the extension. */
export const largestInlineItem = 50_000;
/** Maximum bytes of an item that the extension refers to. */
export const largestReferencedItem = 500_000;

/** A sticker or an emoji: its bytes in base64, or a reference to them. */
export type MediaItem = { name: string; media_type: string } & ({ inline: string } | { file: FileReference });

export interface StickerPack {
  name: string;
  stickers: MediaItem[];
}

export interface CustomMedia {
  sticker_packs: StickerPack[];
  emoji: MediaItem[];
}

/** How an item of this many bytes is stored. Throws MalformedError if it is too large for either. */
export function placeForMedia(bytes: number): "inline" | "file" {
  if (bytes <= largestInlineItem) return "inline";
  if (bytes <= largestReferencedItem) return "file";
  throw new MalformedError(`an item has at most ${largestReferencedItem} bytes`);
}

/** An item stored in the extension. */
export function inlineItem(about: { name: string; media_type: string }, bytes: Uint8Array): MediaItem {
  return checkItem({ ...about, inline: encodeBase64(bytes) });
}

/** An item stored in a file. */
export function referencedItem(about: { name: string; media_type: string }, file: FileReference): MediaItem {
  return checkItem({ ...about, file });
}

/** The extension's content, in JSON. Throws MalformedError if an item is too large. */
export function encodeCustomMedia(media: CustomMedia): Uint8Array {
  for (const item of [...media.emoji, ...media.sticker_packs.flatMap(({ stickers }) => stickers)]) checkItem(item);
  return utf8(JSON.stringify(media));
}

/** Reads the extension's content. Throws MalformedError, also if an item is too large. */
export function decodeCustomMedia(content: Uint8Array): CustomMedia {
  const value = parseJsonObject(new TextDecoder().decode(content), "the custom media extension");
  return {
    sticker_packs: demandList(value["sticker_packs"], "sticker_packs").map(readPack),
    emoji: demandList(value["emoji"], "emoji").map(readItem),
  };
}

function readPack(value: unknown): StickerPack {
  const pack = demandObject(value, "a sticker pack");
  const stickers = demandList(pack["stickers"], "stickers").map(readItem);
  return { name: demandText(pack["name"], "a sticker pack's name"), stickers };
}

function readItem(value: unknown): MediaItem {
  const item = demandObject(value, "an item");
  const about = {
    name: demandText(item["name"], "an item's name"),
    media_type: demandText(item["media_type"], "an item's media_type"),
  };
  if ("inline" in item === "file" in item) throw new MalformedError("an item is either inline or a file");
  if ("file" in item) return checkItem({ ...about, file: readFileReference(item["file"]) });
  return checkItem({ ...about, inline: demandText(item["inline"], "an item's bytes") });
}

function checkItem(item: MediaItem): MediaItem {
  const isInline = "inline" in item;
  const size = isInline ? demandParsed(item.inline, decodeBase64, "an item's bytes").length : item.file.file_size;
  const max = isInline ? largestInlineItem : largestReferencedItem;
  if (size > max) throw new MalformedError(`${item.name} has ${size} bytes; at most ${max} are allowed`);
  return item;
}
