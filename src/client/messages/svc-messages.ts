// What two applications understand of each other inside of MLS (specification, "Protocol structures"). The relay never sees any of it. The schemas are in
// spec/schemas/svc-message.yaml.

import { sha256 } from "@noble/hashes/sha2.js";
import { parseAddress } from "../../protocol/address.js";
import { decodeBase64, encodeBase64, encodeHex, utf8 } from "../../protocol/encodings.js";
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
import { type FileReference, readFileReference } from "./file-references.js";

interface Common {
  /** Chosen by the sender, 1 to 100 characters. The sender and this id name the message. */
  message_id: string;
  /** By the sender's clock, in milliseconds since 1970, before the year 10000. */
  sent_at_millis: number;
  /** References to messages that the sender's user has received, or read, since the last message that says so. At most 100 each. */
  delivered?: string[];
  read?: string[];
}

/** An application message: the content of an MLS application message. `target`, `targets` and `reply_to` are references (`messageReference`). */
export type SvcMessage = Common &
  (
    | { type: "text"; text: string; mentions?: Mention[]; reply_to?: string }
    /**
     * Replaces the sender's earlier reactions to the same message. `emoji` is one of `emojis`, for readers that know one reaction only; it is empty if the sender takes all
     * of them back. Without `emojis` it is the only one.
     */
    | { type: "reaction"; target: string; emoji: string; emojis?: string[] }
    /** A new text for a message of the same sender. An empty text takes the message back. */
    | { type: "edit"; target: string; text: string; mentions?: Mention[] }
    | {
        type: "attachment";
        file: FileReference & JsonObject;
        name: string;
        media_type: string;
        text?: string;
        reply_to?: string;
      }
    /** Content of an application. `text` is for applications that do not know this type, or this version of it. */
    | {
        type: "custom";
        content_type: string;
        content_version: number;
        content: JsonObject;
        text?: string;
        reply_to?: string;
      }
    /** What the sender's user tells of themself. The one with the latest `set_at_millis` counts; without it, `sent_at_millis` does. */
    | {
        type: "persona_update";
        name: string;
        set_at_millis?: number;
        picture?: FileReference & JsonObject;
        media_type?: string;
      }
    | { type: "receipt"; targets: string[]; status: "delivered" | "read" }
    /** For online-only messages. */
    | { type: "typing"; is_typing: boolean }
  );

/** A part of a text that names a user, in UTF-16 code units. */
export interface Mention {
  /** The user's public key, in hex. */
  user: string;
  start: number;
  length: number;
}

/** What a member tells the others about the group itself. */
export type SystemOperation =
  /** The sender asks to be removed: MLS lets nobody commit their own removal. */
  | { operation: "leave" }
  /** The sender's device receives at another address from now on. */
  | { operation: "address_rotation"; address: string };

/** Asks somebody to get in contact: by a key package, to be added to a group with it, or by an address. */
export interface ContactRequest {
  name: string;
  address: string;
  /** An MLSMessage with a key package. */
  key_package?: Uint8Array;
  text?: string;
}

const version = 1;
/** The end of the year 9999: later times are no dates to many programs. */
const maxMillis = 253_402_300_799_999;
const maxId = 100;
const referenceBytes = 16;
const maxText = 1_000_000;
const maxName = 200;
const maxEmoji = 100;
/** Of one user to one message. */
export const maxEmojis = 6;
const maxMentions = 100;
const contentType = /^[a-z0-9][a-z0-9.+/-]{0,99}$/;
const maxContentVersion = 1_000_000;
/** Of the JSON of a content or a file. */
const maxContentLength = 100_000;
const maxContentDepth = 20;
/** Messages that one receipt names. */
export const maxTargets = 100;

/**
 * How other messages name a message: by its sender and its id. A hash of both, so no member can send a message with the reference of another user's. `sender` is the
 * user, or the leaf index if the user has not signed the device.
 */
export function messageReference(sender: string, messageId: string): string {
  return encodeHex(sha256(utf8(`mls-relay message\n${sender}\n${messageId}`)).subarray(0, referenceBytes));
}

export function encodeSvcMessage(message: SvcMessage): Uint8Array {
  return utf8(JSON.stringify({ version, ...message }));
}

/** Throws MalformedError, also for a type that this version does not know. */
export function readSvcMessage(content: Uint8Array): SvcMessage {
  const value = objectIn(content, "the message");
  const common = {
    message_id: id(value["message_id"], "message_id"),
    sent_at_millis: millis(value["sent_at_millis"], "sent_at_millis"),
    ...(value["delivered"] !== undefined && { delivered: ids(value["delivered"], "delivered") }),
    ...(value["read"] !== undefined && { read: ids(value["read"], "read") }),
  };
  const target = () => id(value["target"], "target");
  const body = () => text(value["text"], "text", maxText);
  const answered = value["reply_to"] === undefined ? {} : { reply_to: id(value["reply_to"], "reply_to") };
  switch (value["type"]) {
    case "text":
      return { ...common, type: "text", text: body(), ...mentionsIn(value, body()), ...answered };
    case "reaction": {
      const one = text(value["emoji"], "emoji", maxEmoji);
      const all = value["emojis"] === undefined ? {} : { emojis: emojis(value["emojis"]) };
      return { ...common, type: "reaction", target: target(), emoji: one, ...all };
    }
    case "edit":
      return { ...common, type: "edit", target: target(), text: body(), ...mentionsIn(value, body()) };
    case "custom":
      return {
        ...common,
        type: "custom",
        content_type: demandParsed(value["content_type"], (given) => contentType.exec(given)?.[0], "content_type"),
        content_version: contentVersion(value["content_version"]),
        content: boundedObject(value["content"], "content"),
        ...(value["text"] !== undefined && { text: body() }),
        ...answered,
      };
    case "attachment": {
      const file = fileIn(value["file"], "file");
      const described = {
        name: text(value["name"], "name", maxName),
        media_type: text(value["media_type"], "media_type", maxName),
      };
      const caption = value["text"] === undefined ? {} : { text: body() };
      return { ...common, type: "attachment", file, ...described, ...caption, ...answered };
    }
    case "persona_update":
      return {
        ...common,
        type: "persona_update",
        name: text(value["name"], "name", maxName),
        ...(value["set_at_millis"] !== undefined && { set_at_millis: millis(value["set_at_millis"], "set_at_millis") }),
        ...(value["picture"] !== undefined && {
          picture: fileIn(value["picture"], "picture"),
          media_type: text(value["media_type"], "media_type", maxName),
        }),
      };
    case "receipt": {
      const { status } = value;
      if (status !== "delivered" && status !== "read") throw new MalformedError("status is malformed");
      return { ...common, type: "receipt", targets: ids(value["targets"], "targets"), status };
    }
    case "typing":
      if (typeof value["is_typing"] !== "boolean") throw new MalformedError("is_typing is not a boolean");
      return { ...common, type: "typing", is_typing: value["is_typing"] };
    default:
      throw new MalformedError("the type of the message is unknown");
  }
}

export function encodeSystemOperation(operation: SystemOperation): Uint8Array {
  return utf8(JSON.stringify({ version, ...operation }));
}

/** Throws MalformedError, also for an operation that this version does not know. */
export function readSystemOperation(content: Uint8Array): SystemOperation {
  const value = objectIn(content, "the operation");
  switch (value["operation"]) {
    case "leave":
      return { operation: "leave" };
    case "address_rotation":
      return { operation: "address_rotation", address: address(value["address"]) };
    default:
      throw new MalformedError("the operation is unknown");
  }
}

export function encodeContactRequest({ key_package: keyPackage, ...request }: ContactRequest): Uint8Array {
  return utf8(JSON.stringify({ version, ...request, ...(keyPackage && { key_package: encodeBase64(keyPackage) }) }));
}

/** Throws MalformedError. */
export function readContactRequest(content: Uint8Array): ContactRequest {
  const value = objectIn(content, "the request");
  const said = value["text"] === undefined ? {} : { text: text(value["text"], "text", maxText) };
  const own = { name: text(value["name"], "name", maxName), address: address(value["address"]) };
  if (value["key_package"] === undefined) return { ...own, ...said };
  const keyPackage = demandParsed(value["key_package"], decodeBase64, "key_package");
  return { ...own, key_package: Uint8Array.from(keyPackage), ...said };
}

function objectIn(content: Uint8Array, what: string): JsonObject {
  let decoded: string;
  try {
    decoded = new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new MalformedError(`${what} is not UTF-8`);
  }
  const value = parseJsonObject(decoded, what);
  if (value["version"] !== version) throw new MalformedError(`${what} has another version`);
  return value;
}

function id(value: unknown, what: string): string {
  const found = text(value, what, maxId);
  if (found === "") throw new MalformedError(`${what} is empty`);
  return found;
}

function ids(value: unknown, what: string): string[] {
  const found = demandList(value, what).map((one) => id(one, what));
  if (found.length === 0 || found.length > maxTargets) throw new MalformedError(`${what} is malformed`);
  return found;
}

function fileIn(value: unknown, what: string): FileReference & JsonObject {
  return { ...boundedObject(value, what), ...readFileReference(value) };
}

function emojis(value: unknown): string[] {
  const found = demandList(value, "emojis").map((one) => text(one, "emojis", maxEmoji));
  if (found.length > maxEmojis || found.includes("")) throw new MalformedError("emojis is malformed");
  return found;
}

/** In the order of the text, each behind the one before. */
function mentionsIn(value: JsonObject, said: string): { mentions?: Mention[] } {
  if (value["mentions"] === undefined) return {};
  let end = 0;
  const mentions = demandList(value["mentions"], "mentions").map((one): Mention => {
    const { user, start, length } = demandObject(one, "mentions");
    const mention = {
      user: demandParsed(user, (given) => /^[0-9a-f]{64}$/.exec(given)?.[0], "mentions"),
      start: demandCount(start, "mentions"),
      length: demandCount(length, "mentions"),
    };
    const isInPlace = mention.start >= end && mention.length > 0;
    end = mention.start + mention.length;
    if (!isInPlace || end > said.length) throw new MalformedError("mentions is malformed");
    return mention;
  });
  if (mentions.length > maxMentions) throw new MalformedError("mentions is too long");
  return { mentions };
}

function contentVersion(value: unknown): number {
  const found = demandCount(value, "content_version");
  if (found < 1 || found > maxContentVersion) throw new MalformedError("content_version is malformed");
  return found;
}

/** With members that this version does not know. */
function boundedObject(value: unknown, what: string): JsonObject {
  const found = demandObject(value, what);
  if (depthOf(found, maxContentDepth) > maxContentDepth) throw new MalformedError(`${what} is nested too deeply`);
  if (JSON.stringify(found).length > maxContentLength) throw new MalformedError(`${what} is too large`);
  return found;
}

/** Looks no deeper than is allowed. */
function depthOf(value: unknown, most: number): number {
  if (typeof value !== "object" || value === null || most < 0) return 0;
  return 1 + Object.values(value).reduce<number>((depth, one) => Math.max(depth, depthOf(one, most - 1)), 0);
}

function millis(value: unknown, what: string): number {
  const found = demandCount(value, what);
  if (found > maxMillis) throw new MalformedError(`${what} is too large`);
  return found;
}

function text(value: unknown, what: string, max: number): string {
  const found = demandText(value, what);
  if (found.length > max) throw new MalformedError(`${what} is too long`);
  return found;
}

function address(value: unknown): string {
  return demandParsed(value, (given) => (parseAddress(given) === undefined ? undefined : given), "address");
}
