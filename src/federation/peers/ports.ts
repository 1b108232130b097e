// The ports on which peers may be called.

import type { FederationSettings } from "../model/config.js";
import { PeerError } from "./types.js";

export type PortLimits = Pick<FederationSettings, "federationPorts" | "federationAllowAnyPort">;

export const httpsPort = 443;

/** Parses an https URL with a port that is allowed for peers. Throws PeerError. */
export function checkedUrl(text: string, config: PortLimits): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "") {
    throw new PeerError("address", "peers are called by https URLs without credentials");
  }
  const port = Number(url.port || httpsPort);
  if (!config.federationAllowAnyPort && !config.federationPorts.includes(port)) {
    throw new PeerError("address", `port ${port} is not allowed for peers`);
  }
  return url;
}
