// What adding members shares with the rest of the library: devices/linking-parts.ts says why it is passed.

import { sha256 } from "@noble/hashes/sha2.js";
import { claimKeyPackages, isAnswer } from "../../client/index.js";
import { demandAddress, demandArray } from "../../client/runtime/arguments.js";
import { encodeHex, utf8 } from "../../protocol/encodings.js";
import { directUsersOf } from "../mls/group-context.js";
import { maxAddedAtOnce } from "../mls/group-size.js";
import { joinerOf } from "../mls/joiners.js";
import { keptMillis, passes } from "../sending/refusals.js";
import { keyOf, knownPrefix } from "../store/record-keys.js";
import { makeCounting } from "./making-commits.js";
import { wantChange } from "./waiting-changes.js";

export const addingParts = {
  claimKeyPackages,
  // The package has the types of this folder and of the client alone.
  demandAddress: demandAddress as (value: unknown, what: string) => void,
  demandArray: demandArray as (
    value: unknown,
    about: { what: string; min: number; max: number },
    each: (one: unknown, what: string) => void,
  ) => void,
  directUsersOf,
  isAnswer,
  joinerOf,
  keptMillis,
  keyOf,
  knownPrefix,
  makeCounting,
  maxAddedAtOnce,
  passes,
  wantChange,
  /** Addresses may be longer than keys. */
  hashOf: (address: string) => encodeHex(sha256(utf8(address))),
};

export type AddingParts = typeof addingParts;
