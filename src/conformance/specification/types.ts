import type { DeviceKeys } from "../../client/crypto/keys.js";
import type { OriginCredential } from "../harness/types.js";
import type { Peer } from "../peer/server.js";
import type { SpecificationDevice } from "./device.js";
import type { Server } from "./server.js";

/** What rules of the specification work with. Devices are registered when a rule first uses them. */
export interface SpecificationContext {
  server: Server;
  alice(): Promise<SpecificationDevice>;
  bob(): Promise<SpecificationDevice>;
  /** Throws NotChecked if no administrator's key was given. */
  adminKeys(): DeviceKeys;
  /** An administrator who may not do everything; throws NotChecked if no key was given. */
  viewerKeys(): DeviceKeys;
  /** Throws NotChecked unless the server is there for tests: for rules that change its settings for a moment. */
  mayDisturb(): void;
  /** A session of the administrator. */
  adminToken(): Promise<string>;
  /** The other server that the suite plays; throws NotChecked if it has no certificate. */
  origin(): OriginCredential;
  /** The same, listening; throws NotChecked if it has no address to listen at. */
  peer(): Promise<Peer>;
}

/** A rule that every server of the specification must keep, whatever it adds. */
export interface SpecificationRule {
  /** Unique among the rules of the specification. */
  id: string;
  title: string;
  /** The heading of the section in the specification. */
  section: string;
  check(context: SpecificationContext): Promise<void>;
}
