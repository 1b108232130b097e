// What the search shares with the rest of the library: devices/linking-parts.ts says why it is passed.

import { shownOf } from "../store/blocked.js";
import { searchKey, searchSpan } from "../store/messages.js";
import { inGroup, messagePrefix, numbered } from "../store/record-keys.js";

export const searchParts = { inGroup, messagePrefix, numbered, searchKey, searchSpan, shownOf };

export type SearchParts = typeof searchParts;
