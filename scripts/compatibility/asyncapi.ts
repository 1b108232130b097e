import type { BreakingChange } from "./breaking-change.js";
import { type Json, list, object, resolve } from "./json.js";
import { compareSchemas } from "./schemas.js";

/**
 * The breaking changes between two descriptions of the stream.
 *
 * Not by `@asyncapi/diff` (0.5.0): it classifies every change inside a payload, and every change of a close code, as
 * "unclassified", whether the client or the server sends the frame, so a required member and a new optional one look alike.
 */
export function compareAsyncApi(before: Json, after: Json): BreakingChange[] {
  return [...compareChannels(before, after), ...compareFrames(before, after)];
}

function compareChannels(before: Json, after: Json): BreakingChange[] {
  const now = object(after["channels"]);
  return Object.entries(object(before["channels"])).flatMap(([subject, channel]): BreakingChange[] => {
    const later = object(now[subject]);
    const [old, address] = [object(channel)["address"], later["address"]];
    const moved = old === address ? [] : [{ subject, what: `its address was ${old} and is ${address}` }];
    return [...moved, ...compareCloseCodes({ subject, before: object(channel), after: later })];
  });
}

/** A reason keeps its close code, so that a client knows what to do when a stream ends. */
function compareCloseCodes({
  subject,
  before,
  after,
}: {
  subject: string;
  before: Json;
  after: Json;
}): BreakingChange[] {
  const now = object(after["x-close-codes"]);
  return Object.entries(object(before["x-close-codes"])).flatMap(([name, old]) => {
    const [was, is] = [object(old)["code"], object(now[name])["code"]];
    return was === is ? [] : [{ subject, what: `the close code ${name} was ${was} and is ${is ?? "removed"}` }];
  });
}

function compareFrames(before: Json, after: Json): BreakingChange[] {
  const now = framesOf(after);
  return [...framesOf(before)].flatMap(([key, { name, schema, side }]): BreakingChange[] => {
    const later = now.get(key);
    if (later === undefined)
      return [{ subject: name, what: `the ${side === "request" ? "client" : "server"} no longer sends it` }];
    const versions = [
      { document: before, schema },
      { document: after, schema: later.schema },
    ] as const;
    return compareSchemas(versions[0], versions[1], side).map((what) => ({ subject: name, what }));
  });
}

interface Frame {
  name: string;
  schema: unknown;
  side: "request" | "answer";
}

/** Frames by operation and name. A frame that the server receives is a request; one that it sends is an answer. */
function framesOf(document: Json): Map<string, Frame> {
  const found = new Map<string, Frame>();
  for (const [id, operation] of Object.entries(object(document["operations"]))) {
    const side = object(operation)["action"] === "receive" ? "request" : "answer";
    for (const message of list(object(operation)["messages"])) {
      const name = String(object(message)["$ref"]).split("/").at(-1) ?? "";
      found.set(`${id} ${name}`, { name, schema: resolve(document, message)["payload"], side });
    }
  }
  return found;
}
