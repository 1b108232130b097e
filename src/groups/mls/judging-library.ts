import { loaded } from "../../client/index.js";
import type { JudgingMls, Mls } from "./mls.js";
import { tsMls } from "./ts-mls.js";

/** The library itself if it judges commits, and otherwise with ts-mls as its judge. */
export async function judging(mls: Mls): Promise<JudgingMls> {
  return "follow" in mls ? (mls as JudgingMls) : (await loaded(import("./judged.js"))).judged(mls, tsMls());
}
