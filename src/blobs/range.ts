import { RelayError } from "../protocol/errors.js";
import type { ByteRange } from "./storage/layout.js";

/**
 * The range that a request asks for (RFC 9110, section 14.2); undefined for all bytes, also if the header names several ranges,
 * has another form, or is for another entity tag. Throws RANGE_NOT_SATISFIABLE.
 */
export function wantedRange(
  { range, ifRange }: { range: string | undefined; ifRange: string | undefined },
  { size, tag }: { size: number; tag: string },
): ByteRange | undefined {
  const [, first = "", last = ""] = /^bytes=[ \t]*(\d{0,16})-(\d{0,16})[ \t]*$/i.exec(range ?? "") ?? [];
  if ((first === "" && last === "") || (ifRange !== undefined && ifRange !== tag)) return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    if (length === 0) throw unsatisfiable(size);
    return { first: size - length, last: size - 1 };
  }
  if (last !== "" && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) throw unsatisfiable(size);
  return { first: Number(first), last: Math.min(last === "" ? size - 1 : Number(last), size - 1) };
}

function unsatisfiable(size: number): RelayError {
  const headers = { "Content-Range": `bytes */${size}` };
  return new RelayError("RANGE_NOT_SATISFIABLE", `the blob has ${size} bytes`, { headers });
}
