import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import type { AnswerChunks } from "../../generated/handlers.js";

export function isChunks(body: unknown): body is AnswerChunks {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/**
 * Sends a body piece by piece, as fast as the client takes it. A client that goes away ends the making of pieces. Where
 * the making fails, this rejects, and the connection is broken off, so that what was sent cannot be taken for the whole.
 */
export async function sendChunks(res: Response, chunks: AnswerChunks): Promise<void> {
  try {
    await pipeline(Readable.from(chunks), res);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}
