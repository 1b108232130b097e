import { readFileSync } from "node:fs";
import { packageRoot } from "./package-root.js";

/** The version of this package. */
export const softwareVersion: string = (
  JSON.parse(readFileSync(new URL("package.json", packageRoot()), "utf8")) as { version: string }
).version;
