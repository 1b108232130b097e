// What profiles share with the rest of the library: devices/linking-parts.ts says why it is passed.

import { downloadBlob, uploadBlob } from "../../client/index.js";
import { demand, demandOneOf, demandOptions } from "../../client/runtime/arguments.js";
import { calledName, profileName } from "../devices/local-state.js";
import { shownName } from "../encoding/names.js";
import { maxPictureBytes, pictureTypes } from "../encoding/pictures.js";
import { seal } from "../membership/sealing.js";
import { isDescription, maxDescriptionLength } from "../mls/group-context.js";
import { untilClosed } from "../sending/core.js";
import { atRelay } from "../sending/files.js";
import { keyOf, owedPrefix, picturesKey, restOf } from "../store/record-keys.js";
import { pictureKey, takeOwed } from "./noted-profiles.js";

export const profileParts = {
  downloadBlob,
  uploadBlob,
  // The package has the types of this folder and of the client alone.
  demand: demand as (holds: boolean, value: unknown, about: { what: string; expected: string }) => void,
  demandOneOf: demandOneOf as (value: unknown, what: string, names: readonly string[]) => void,
  demandOptions: demandOptions as (value: unknown, what: string) => void,
  shownName,
  isDescription,
  maxDescriptionLength,
  calledName,
  profileName,
  maxPictureBytes,
  pictureTypes,
  seal,
  untilClosed,
  atRelay,
  takeOwed,
  keyOf,
  owedPrefix,
  picturesKey,
  restOf,
  pictureKey,
};

export type ProfileParts = typeof profileParts;
