import { useEffect, useRef, useState } from "preact/hooks";
import type { Group } from "../groups/index.js";
import type { Regarding } from "./conversation.js";
import { attempt, Button } from "./parts.js";
import { fill, t } from "./texts.js";

interface ComposeProps {
  group: Group;
  regarding: Regarding | undefined;
  onSent(): void;
  onDone(): void;
}

/** Where messages are written. Enter sends, Shift and Enter begin a line, Escape ends a reply. */
export function Compose({ group, regarding, onSent, onDone }: ComposeProps) {
  const [text, setText] = useState("");
  const [progress, setProgress] = useState<string | undefined>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (regarding?.how === "edit") setText(regarding.message.text);
    if (regarding !== undefined) field.current?.focus();
  }, [regarding]);
  const answer = regarding?.how === "reply" ? { replyTo: regarding.message.id } : {};
  const done = () => {
    setText("");
    void group.typing(false);
    onDone();
  };
  const submit = () => {
    const said = text.trim();
    if (said === "") return;
    const { how, message } = regarding ?? {};
    done();
    if (how !== "edit") onSent();
    attempt(async () => {
      try {
        await (how === "edit" && message ? group.edit(message.id, said) : group.send({ text: said, ...answer }));
      } catch (problem) {
        setText((written) => written || said);
        throw problem;
      }
    });
  };
  const attach = async (file: File) => {
    const onProgress = (sent: number, total: number) =>
      setProgress(fill(t.uploading, { name: file.name, percent: Math.round((100 * sent) / Math.max(1, total)) }));
    onProgress(0, 1);
    try {
      const mediaType = file.type || "application/octet-stream";
      await group.attach(file, { name: file.name, mediaType, onProgress, ...answer });
      onDone();
    } finally {
      setProgress(undefined);
    }
  };
  return (
    <form
      class="compose"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {progress !== undefined && <p role="status">{progress}</p>}
      {regarding && (
        <p class="regarding">
          {regarding.how === "edit" ? t.editing : fill(t.replyingTo, { name: regarding.message.from.name })}
          <Button icon="✕" label={t.cancel} class="icon" onClick={done} />
        </p>
      )}
      <div class="line">
        <Button icon="+" label={t.attach} class="icon" onClick={() => files.current?.click()} />
        <input
          ref={files}
          type="file"
          hidden
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file !== undefined) attempt(() => attach(file));
            currentTarget.value = "";
          }}
        />
        <textarea
          ref={field}
          rows={1}
          aria-label={t.message}
          placeholder={t.message}
          value={text}
          onInput={({ currentTarget: { value } }) => {
            setText(value);
            void group.typing(value !== "");
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") done();
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            submit();
          }}
        />
        <button type="submit" class="main">
          {t.send}
        </button>
      </div>
    </form>
  );
}
