import type { IncomingMessage } from "node:http";
import { splitAttached } from "../../platform/attached-bytes.js";
import type { RequestContext } from "../request/request-context.js";
import { malformed } from "./json.js";

/** Whether bytes stand behind the JSON of a body, by the headers of the request. `mediaType` is that of such bodies. */
export function hasAttachedBytes({ headers }: IncomingMessage, mediaType: string | null | undefined): boolean {
  return typeof mediaType === "string" && headers["content-type"] === mediaType;
}

/** The JSON of a body with bytes behind it, which are set in the context. Throws INVALID_REQUEST. */
export function detachBytes(context: RequestContext, body: Buffer): Buffer {
  const parts = splitAttached(body);
  if (parts === undefined) throw malformed("must begin with the length of its JSON");
  context.attached = parts.attached;
  return parts.json;
}
