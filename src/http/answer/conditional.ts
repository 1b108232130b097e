import { createHash } from "node:crypto";
import type { AnyReply } from "../request/contract.js";
import type { RequestContext } from "../request/request-context.js";
import { type HeaderList, headersOf, jsonOf, writeJson } from "./answer.js";

const tagLength = 22;

/**
 * Sends a reply with the entity tag of its body, or 304 to a caller that already has that body (RFC 9110, section
 * 13.1.2).
 */
export function sendConditionally(context: RequestContext, headers: HeaderList, reply: AnyReply): undefined {
  const text = jsonOf(reply);
  const tag = `"${createHash("sha256").update(text).digest("base64url").slice(0, tagLength)}"`;
  const allHeaders = [...headersOf(context, headers), "ETag", tag];
  if (isKnown(context.req.headers["if-none-match"], tag)) context.res.writeHead(304, allHeaders).end();
  else writeJson(context.res, { status: reply.status, headers: allHeaders, text });
}

/** Tags are compared weakly: a proxy that compresses answers may have marked them as weak. */
function isKnown(sent: string | undefined, tag: string): boolean {
  if (sent === undefined) return false;
  const tags = sent.split(",").map((one) => one.trim().replace(/^W\//, ""));
  return tags.includes(tag) || tags.includes("*");
}
