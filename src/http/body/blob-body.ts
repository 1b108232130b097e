import { RelayError } from "../../protocol/errors.js";
import type { RequestContext } from "../request/request-context.js";
import { type BodyTimeoutSettings, timeStreamedBody } from "./body-timeout.js";
import { malformed } from "./json.js";

/** Throws UNSUPPORTED_MEDIA_TYPE. */
export function demandStreamedBody({ req }: RequestContext): void {
  const { headers } = req;
  const type = headers["content-type"]?.toLowerCase();
  const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (type !== "application/octet-stream" || encoding !== "identity")
    throw new RelayError("UNSUPPORTED_MEDIA_TYPE", "the body must be application/octet-stream, and not compressed");
}

/**
 * The chunks of a body as they arrive. It stays in memory only until the caller asks for the next chunk, so it takes nothing
 * from the budget of bodies. Throws REQUEST_TIMEOUT if it pauses for too long or is too slow, and INVALID_REQUEST if it ends early; the connection is closed then.
 */
export async function* readStreamedBody(
  { req, res }: RequestContext,
  settings: BodyTimeoutSettings,
): AsyncGenerator<Uint8Array> {
  if (/^100-continue$/i.test(req.headers.expect ?? "")) res.writeContinue();
  const chunks = req.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  const pace = timeStreamedBody(settings);
  let isWaiting = false;
  try {
    for (;;) {
      isWaiting = true;
      const chunk = await pace.wait(chunks.next());
      isWaiting = false;
      if (chunk.done === true) return;
      pace.arrived(chunk.value.length);
      yield chunk.value;
    }
  } catch (error) {
    res.shouldKeepAlive = false;
    throw error instanceof RelayError ? error : malformed("did not arrive whole");
  } finally {
    // What is left is discarded, because the next request on the connection follows it. A request that is read by an iterator
    // does not flow.
    if (!isWaiting) await chunks.return?.();
    req.resume();
  }
}
