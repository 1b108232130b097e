// The draft of each chat. It survives opening another chat, editing another message, and a reload.

import type { Group, Message } from "../groups/index.js";
import { forget, remember, remembered } from "./local-storage.js";

interface Draft {
  text: string;
  /** The `seq` of the message that the draft answers. */
  answers?: number;
}

const keyOf = (group: string) => `draft ${group}`;

export function draftOf(group: string): Draft {
  try {
    const { text, answers } = JSON.parse(remembered(keyOf(group)) ?? "{}");
    return { text: typeof text === "string" ? text : "", ...(Number.isSafeInteger(answers) && { answers }) };
  } catch {
    return { text: "" };
  }
}

export function keepDraft(group: string, { text, answers }: { text: string; answers?: number | undefined }): void {
  if (text.trim() === "" && answers === undefined) forget(keyOf(group));
  else remember(keyOf(group), JSON.stringify({ text, answers }));
}

/** The message that a draft answers, if this device still has it. */
export async function answeredBy(group: Group): Promise<Message | undefined> {
  const { answers } = draftOf(group.id);
  if (answers === undefined) return undefined;
  const [found] = await group.messages({ before: answers + 1, limit: 1 });
  return found?.seq === answers ? found : undefined;
}
