import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Collects all garbage at once, for what must not depend on when that happens. */
export const collectGarbage = runInNewContext("gc") as () => void;
