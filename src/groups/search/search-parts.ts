// What the search shares with the rest of the library: devices/linking-parts.ts says why it is passed.

import { searchKey, searchSpan } from "../store/messages.js";
import { inGroup, messagePrefix, numbered } from "../store/record-keys.js";

export const searchParts = { inGroup, messagePrefix, numbered, searchKey, searchSpan };

export type SearchParts = typeof searchParts;
