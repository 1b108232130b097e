import { blake3 } from "@noble/hashes/blake3.js";
import { encodeHex, parseHex } from "../../protocol/encodings.js";
import { parseDeviceId } from "../../protocol/identifiers.js";
import { demandCount, demandObject, demandParsed } from "../runtime/json-shape.js";
import { runtimeWith } from "../runtime/runtime.js";

/** Names a file: the device that uploaded it, and a UUIDv4 that the device chose. */
export interface FileId {
  uploaderDeviceId: string;
  uuid: string;
}

/** How a message refers to a file. The relay sees neither the message nor the reference. */
export interface FileReference {
  /** `<uploader device id>:<uuid>` */
  file_id: string;
  /** Size of the plaintext in bytes. */
  file_size: number;
  /** BLAKE3-256 of the plaintext, 64 hex digits. */
  plaintext_hash: string;
}

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A reference to a new file. */
export function newFileReference(
  uploaderDeviceId: string,
  plaintext: Uint8Array,
  randomBytes = runtimeWith().randomBytes,
): FileReference {
  const file_id = formatFileId({ uploaderDeviceId, uuid: newFileUuid(randomBytes) });
  return { file_id, file_size: plaintext.length, plaintext_hash: encodeHex(blake3(plaintext)) };
}

/** Reads a reference from a message. Throws MalformedError. */
export function readFileReference(value: unknown): FileReference {
  const reference = demandObject(value, "the file reference");
  return {
    file_id: formatFileId(demandParsed(reference["file_id"], parseFileId, "file_id")),
    file_size: demandCount(reference["file_size"], "file_size"),
    plaintext_hash: demandParsed(reference["plaintext_hash"], (text) => parseHex(text, 32), "plaintext_hash"),
  };
}

/** Whether decrypted bytes are the referenced file. */
export function isReferencedFile(reference: FileReference, plaintext: Uint8Array): boolean {
  return reference.file_size === plaintext.length && reference.plaintext_hash === encodeHex(blake3(plaintext));
}

export function formatFileId({ uploaderDeviceId, uuid }: FileId): string {
  return `${uploaderDeviceId}:${uuid}`;
}

/** Returns `undefined` if the text is not a file id. */
export function parseFileId(text: string): FileId | undefined {
  const [device = "", uuid = "", ...rest] = text.toLowerCase().split(":");
  const uploaderDeviceId = parseDeviceId(device);
  return uploaderDeviceId === undefined || !uuidV4.test(uuid) || rest.length > 0
    ? undefined
    : { uploaderDeviceId, uuid };
}

/** A UUIDv4 for a file. */
export function newFileUuid(randomBytes: (length: number) => Uint8Array): string {
  const bytes = randomBytes(16);
  bytes[6] = 0x40 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = encodeHex(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
