import type { IncomingMessage } from "node:http";
import { splitAttached } from "../../platform/attached-bytes.js";
import type { RequestContext } from "../request/request-context.js";
import { malformed } from "./json.js";

/**
 * Whether bytes follow the JSON of a body, judging by the headers of the request. `mediaType` is the media type of such
 * bodies.
 */
export function hasAttachedBytes({ headers }: IncomingMessage, mediaType: string | null | undefined): boolean {
  return typeof mediaType === "string" && headers["content-type"] === mediaType;
}

/** Returns the JSON of a body that is followed by bytes, and sets the bytes in the context. Throws INVALID_REQUEST. */
export function detachBytes(context: RequestContext, body: Buffer): Buffer {
  const parts = splitAttached(body);
  if (parts === undefined) throw malformed("must begin with the length of its JSON");
  context.attached = parts.attached;
  return parts.json;
}
