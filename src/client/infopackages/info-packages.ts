// The content of info packages and its encryption (specification, "Info package record"). The relay gets the ciphertext;
// the recipients get the key from a QR code or a link's fragment.

import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { concatBytes, decodeBase64, encodeBase64, utf8 } from "../../protocol/encodings.js";
import { parsePublicKey } from "../../protocol/identifiers.js";
import { demandBytes, demandString } from "../runtime/arguments.js";
import {
  demandCount,
  demandList,
  demandObject,
  demandParsed,
  demandText,
  type JsonObject,
  MalformedError,
  parseJsonObject,
} from "../runtime/json-shape.js";
import { runtimeWith } from "../runtime/runtime.js";

export type PackageType = "identity" | "group_invite";

/**
 * Describes a user, so that others can add the user as a contact. The application defines the content of personas,
 * devices and pictures.
 */
export interface IdentityInfoPackage {
  user_id: string;
  /** Ed25519, 64 hex digits. */
  user_public_key: string;
  /** Id of the persona that is shown first. */
  default_persona: string;
  /** Keys are persona ids. */
  personas: Record<string, JsonObject>;
  devices: JsonObject[];
  profile_picture?: JsonObject;
  /** Unix seconds. */
  created_at: number;
}

/** An identity to share. What it holds may have interfaces as types, which have no index signature. */
export type IdentityContent = Omit<IdentityInfoPackage, "personas" | "devices" | "profile_picture"> & {
  personas: Readonly<Record<string, object>>;
  devices: readonly object[];
  profile_picture?: object;
};

/** An invitation to a group. */
export interface GroupInviteInfoPackage {
  group_id: string;
  group_name: string;
  group_description?: string;
  group_picture?: JsonObject;
  /** The MLS Welcome in base64. */
  welcome_message: string;
  /** User id of the inviting user. */
  invited_by: string;
  invited_by_name: string;
  /** Unix seconds. */
  created_at: number;
}

export interface SealedInfoPackage {
  /** For the relay: nonce (12 bytes), ciphertext and tag (16 bytes), in base64. */
  ciphertext: string;
  /** 32 bytes, for the recipients only. */
  key: Uint8Array;
}

export const infoPackageKeyBytes = 32;
const nonceBytes = 12;

/** Encrypts a package with ChaCha20-Poly1305 under a new random key. */
export function sealInfoPackage(
  content: IdentityContent | GroupInviteInfoPackage,
  randomBytes = runtimeWith().randomBytes,
): SealedInfoPackage {
  const key = randomBytes(infoPackageKeyBytes);
  const nonce = randomBytes(nonceBytes);
  const sealed = chacha20poly1305(key, nonce).encrypt(utf8(JSON.stringify(content)));
  return { key, ciphertext: encodeBase64(concatBytes(nonce, sealed)) };
}

/** Decrypts an identity. Throws MalformedError if the key is wrong or the content is not an identity. */
export function openIdentity(ciphertext: string, key: Uint8Array): IdentityInfoPackage {
  const content = open(ciphertext, key);
  const personas = Object.entries(demandObject(content["personas"], "personas"));
  const { profile_picture: picture } = content;
  return {
    user_id: demandText(content["user_id"], "user_id"),
    user_public_key: checked(content["user_public_key"], parsePublicKey, "user_public_key"),
    default_persona: demandText(content["default_persona"], "default_persona"),
    personas: Object.fromEntries(personas.map(([id, persona]) => [id, demandObject(persona, `persona ${id}`)])),
    devices: demandList(content["devices"], "devices").map((device) => demandObject(device, "a device")),
    ...(isGiven(picture) && { profile_picture: demandObject(picture, "profile_picture") }),
    created_at: demandCount(content["created_at"], "created_at"),
  };
}

/** Decrypts an invitation. Throws MalformedError if the key is wrong or the content is not an invitation. */
export function openGroupInvite(ciphertext: string, key: Uint8Array): GroupInviteInfoPackage {
  const content = open(ciphertext, key);
  const { group_description: description, group_picture: picture } = content;
  return {
    group_id: demandText(content["group_id"], "group_id"),
    group_name: demandText(content["group_name"], "group_name"),
    ...(isGiven(description) && { group_description: demandText(description, "group_description") }),
    ...(isGiven(picture) && { group_picture: demandObject(picture, "group_picture") }),
    welcome_message: checked(content["welcome_message"], decodeBase64, "welcome_message"),
    invited_by: demandText(content["invited_by"], "invited_by"),
    invited_by_name: demandText(content["invited_by_name"], "invited_by_name"),
    created_at: demandCount(content["created_at"], "created_at"),
  };
}

function open(ciphertext: string, key: Uint8Array): JsonObject {
  demandString(ciphertext, "ciphertext");
  demandBytes(key, "key", infoPackageKeyBytes);
  const bytes = demandParsed(ciphertext, decodeBase64, "the ciphertext");
  let text: string;
  try {
    const plaintext = chacha20poly1305(key, bytes.subarray(0, nonceBytes)).decrypt(bytes.subarray(nonceBytes));
    text = new TextDecoder("utf-8", { fatal: true }).decode(plaintext);
  } catch {
    throw new MalformedError("the package cannot be decrypted with this key");
  }
  return parseJsonObject(text, "the package");
}

function checked(value: unknown, parse: (text: string) => unknown, what: string): string {
  demandParsed(value, parse, what);
  return value as string;
}

/** Optional members are absent or null. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
