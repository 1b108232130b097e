// What the devices of one user tell each other. One of them may be lost, so each message is read before anything is done by it.

import { readBlobReference } from "../../client/index.js";
import { demandAddress } from "../../client/runtime/arguments.js";
import { isHex32 } from "../../protocol/encodings.js";
import type { Successor } from "../mls/user-keys.js";
import type { Recovery } from "../store/records.js";
import type { LocalNews } from "./local-state.js";

export type DeviceMessage =
  | { type: "link"; address: string; device: string }
  | { type: "history"; reference: unknown }
  /** What the user has set for groups. */
  | { type: "local"; groups: LocalNews }
  /** The user has accepted or declined a group, to which `by` had added a device. */
  | { type: "consent"; group: string; isAccepted: boolean; by: string }
  /** The user has made a recovery key. */
  | { type: "recovery"; recovery: Recovery }
  /** The recovery key with this public half has ended. */
  | { type: "recoveryEnded"; publicKey: string }
  /** Another device of the user was unlinked. */
  | { type: "unlink"; device: string; key?: NewKey };

/** What replaces the key of the user. */
export interface NewKey {
  /** In hex. */
  secret: string;
  successors: Successor[];
}

/** It is read as a whole. */
const maxHistoryBytes = 2 ** 28;

/** Undefined for what no device says that has the library as it is. */
export function readDeviceMessage(content: Uint8Array): DeviceMessage | undefined {
  try {
    const message = JSON.parse(new TextDecoder().decode(content));
    return forms[message.type]?.(message) ? (message as DeviceMessage) : undefined;
  } catch {
    return undefined;
  }
}

const forms: Record<string, (message: Record<string, unknown>) => boolean> = {
  link({ device, address }) {
    demandAddress(address, "address");
    return isHex32(device);
  },
  history: ({ reference }) => readBlobReference(reference).file_size <= maxHistoryBytes,
  local: () => true,
  consent: ({ group, by }) => typeof group === "string" && (by === "" || isHex32(by)),
  recovery: ({ recovery }) => isHex32(Object(recovery).publicKey) && isHex32(Object(recovery).fileKey),
  recoveryEnded: ({ publicKey }) => isHex32(publicKey),
  unlink: ({ device, key }) => isHex32(device) && (key === undefined || isHex32(Object(key).secret)),
};
