import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Group, Message } from "../groups/index.js";
import { Button } from "./button.js";
import { draftOf, keepDraft } from "./drafts.js";
import { Refusal } from "./refusal.js";
import { me } from "./session.js";
import { attempt } from "./tasks.js";
import { maxNameLength, TooLong } from "./text-field.js";
import { fill, t } from "./texts.js";

/** The message that a draft replies to or edits. */
export interface Regarding {
  how: "reply" | "edit";
  message: Message;
}

interface ComposeProps {
  group: Group;
  regarding: Regarding | undefined;
  /** Sends a file that was dropped on the chat. Set by this view. */
  onFiles: RefObject<(files: Iterable<File>) => void>;
  onSent(): void;
  /** Ends the reply or edit. */
  onDone(): void;
}

const maxMentions = 100;
/** Longer texts must be sent as files. */
const maxTextLength = 20_000;
/** The key that browsers report while an input method composes, even if `isComposing` is false. */
const composingKeyCode = 229;

/** The field for writing messages. Enter sends, Shift+Enter starts a new line, Escape ends a reply or an edit. */
export function Compose({ group, regarding, onFiles, onSent, onDone }: ComposeProps) {
  const { id } = group;
  const [draft, setDraft] = useState(() => draftOf(id).text);
  const [edited, setEdited] = useState("");
  const [progress, setProgress] = useState<string | undefined>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const isEdit = regarding?.how === "edit";
  const text = isEdit ? edited : draft;
  const answered = regarding?.how === "reply" ? regarding.message : undefined;
  const answer = answered === undefined ? {} : { replyTo: answered.id };
  useEffect(() => {
    if (regarding?.how === "edit") setEdited(regarding.message.text);
    if (regarding !== undefined) field.current?.focus();
  }, [regarding]);
  // On a touch screen, focus would cover half of the chat with a keyboard.
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) field.current?.focus();
  }, []);
  const write = (written: string) => {
    if (isEdit) return setEdited(written);
    setDraft(written);
    keepDraft(id, { text: written, answers: answered?.seq });
  };
  const submit = () => {
    const said = text.trim();
    if (said === "" || said.length > maxTextLength) return;
    const { message } = regarding ?? {};
    if (isEdit && message !== undefined) {
      onDone();
      return attempt(() => group.edit(message.id, said, mentionsIn(said, group)));
    }
    setDraft("");
    keepDraft(id, { text: "" });
    onDone();
    onSent();
    attempt(async () => {
      try {
        await group.send({ text: said, ...mentionsIn(said, group), ...answer });
      } catch (problem) {
        // Restores a text that could not be stored, unless the user is writing another one.
        if (draftOf(id).text === "") keepDraft(id, { text: said, answers: answered?.seq });
        setDraft((written) => written || said);
        throw problem;
      }
    });
  };
  const attach = async (file: File) => {
    const onProgress = (sent: number, total: number) =>
      setProgress(fill(t.uploading, { name: file.name, percent: Math.round((100 * sent) / Math.max(1, total)) }));
    await demandSize(file);
    onProgress(0, 1);
    try {
      const mediaType = file.type.slice(0, maxNameLength) || "application/octet-stream";
      await group.attach(file, { name: shortened(file.name), mediaType, onProgress, ...answer });
      onDone();
      onSent();
    } finally {
      setProgress(undefined);
    }
  };
  onFiles.current = (given) =>
    attempt(async () => {
      for (const file of given) await attach(file);
    });
  return (
    <form
      class="compose"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {progress !== undefined && <p role="status">{progress}</p>}
      <TooLong length={text.trim().length} max={maxTextLength} />
      {regarding && (
        <p class="regarding">
          {isEdit ? t.editing : fill(t.replyingTo, { name: regarding.message.from.name || t.nameless })}
          <Button icon="✕" label={t.cancel} class="icon" onClick={onDone} />
        </p>
      )}
      <div class="line">
        <Button icon="+" label={t.attach} class="icon" onClick={() => files.current?.click()} />
        <input
          ref={files}
          type="file"
          multiple
          hidden
          onChange={({ currentTarget }) => {
            onFiles.current?.([...(currentTarget.files ?? [])]);
            currentTarget.value = "";
          }}
        />
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          aria-label={t.message}
          placeholder={t.message}
          value={text}
          onInput={({ currentTarget: { value } }) => {
            write(value);
            void group.typing(value !== "");
          }}
          onPaste={(event) => {
            const { files: pasted, types } = event.clipboardData ?? {};
            // Office programs add a picture of what they copy.
            if (pasted === undefined || pasted.length === 0 || types?.includes("text/plain")) return;
            event.preventDefault();
            onFiles.current?.([...pasted]);
          }}
          onKeyDown={(event) => {
            const isComposing = event.isComposing || event.keyCode === composingKeyCode;
            if (event.key === "Escape" && !isComposing) onDone();
            if (event.key !== "Enter" || event.shiftKey || isComposing) return;
            event.preventDefault();
            submit();
          }}
        />
        <button type="submit" class="main" disabled={text.trim().length > maxTextLength}>
          {t.send}
        </button>
      </div>
    </form>
  );
}

/** Members whose names follow an @. The longest matching name counts. */
function mentionsIn(text: string, group: Group) {
  const members = group.members().filter(({ name, isSigned }) => isSigned && name !== "");
  members.sort((one, other) => other.name.length - one.name.length);
  let end = 0;
  const mentions = [...text.matchAll(/(?<![\p{L}\p{N}])@/gu)].flatMap(({ index: start }) => {
    const found = start < end ? undefined : members.find(({ name }) => text.startsWith(name, start + 1));
    if (found !== undefined) end = start + 1 + found.name.length;
    return found === undefined ? [] : [{ user: found.user, start, length: 1 + found.name.length }];
  });
  return { mentions: mentions.slice(0, maxMentions) };
}

/** Refuses files that the relay would refuse after a long upload. */
async function demandSize({ size }: File): Promise<void> {
  const { blobs } = await me().device.connection.discover();
  if (blobs === undefined) throw new Refusal(t.noFiles);
  const megabytes = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
  if (size > blobs.max_bytes)
    throw new Refusal(fill(t.fileTooLarge, { max: `${megabytes.format(blobs.max_bytes / 1e6)} MB` }));
}

/** A file name that members accept. Its extension says what kind of file it is. */
function shortened(name: string): string {
  if (name.length <= maxNameLength) return name;
  const end = /\.[^.]{1,20}$/.exec(name)?.[0] ?? "";
  return name.slice(0, maxNameLength - end.length) + end;
}
