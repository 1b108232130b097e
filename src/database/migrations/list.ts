import { baseline } from "./0001-baseline.js";
import { keyPackageClaims } from "./0002-key-package-claims.js";
import { push } from "./0003-push.js";
import { lifetimes } from "./0004-lifetimes.js";

/**
 * One step of the schema. Its name is its identity: once released, neither name nor content changes. A change of the schema
 * is a further step.
 */
export interface Migration {
  name: string;
  up(db: { run(sql: string): Promise<void> }): Promise<void>;
}

/** Every step, in the order in which they run. */
export const migrations: readonly Migration[] = [baseline, keyPackageClaims, push, lifetimes];
