// Files of messages: which pictures are loaded at once, and which only when the user asks for them.

import { useEffect, useState } from "preact/hooks";
import type { Group, Message } from "../groups/index.js";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";
import { me, nowMillis } from "./session.js";
import { attempt } from "./tasks.js";
import { fill, sizeOf, t } from "./texts.js";
import { dayOf } from "./times.js";

/** Pictures up to this size are loaded without a click. */
const maxShownBytes = 8_000_000;
const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Pictures from people who are not contacts that the user has asked for. */
const asked = new Set<string>();

/** Shows pictures of the user and of contacts. Any other picture is loaded only when the user asks for it, and any other file is a button. */
export function Attachment({ message, group }: { message: Message; group: Group }) {
  const { file } = message;
  const [url, setUrl] = useState<string | undefined>(undefined);
  const [isGone, setGone] = useState(false);
  const [isLarge, setLarge] = useState(false);
  const name = file?.name || t.file;
  const type = file?.mediaType ?? "";
  const bytes = Number(file?.reference.file_size);
  const isShown = pictures.includes(type) && bytes <= maxShownBytes;
  const [isAsked, setAsked] = useState(asked.has(message.id));
  const isLoaded = isShown && (isAsked || me().isContact(message.from.user));
  const get = async () => {
    // A file of another type could be a page that runs with the rights of this one.
    const blob = await new Response(group.download(message)).blob();
    return URL.createObjectURL(new Blob([blob], { type: isShown ? type : "application/octet-stream" }));
  };
  useEffect(() => {
    if (!isLoaded) return;
    const made = get();
    // A picture that cannot be fetched now stays a button.
    made.then(setUrl, noteGone);
    return () => void made.then(URL.revokeObjectURL, () => undefined);
    // Nothing is fetched from strangers.
  }, [group.consent, isLoaded]);
  const noteGone = (problem: unknown) => {
    if ((problem as { reason?: string }).reason === "gone") setGone(true);
  };
  const save = async () => {
    const made = await get().catch((problem: unknown) => {
      noteGone(problem);
      throw problem;
    });
    const link = document.createElement("a");
    link.href = made;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(made), 60_000);
  };
  if (url !== undefined)
    return (
      <>
        <button type="button" class="picture" aria-label={fill(t.enlarge, { name })} onClick={() => setLarge(true)}>
          <img class="picture" src={url} alt={name} />
        </button>
        {isLarge && (
          <Dialog title={name} onClose={() => setLarge(false)}>
            <img class="large" src={url} alt={name} />
            <Button label={fill(t.download, { name })} class="main" onClick={() => attempt(save)} />
          </Dialog>
        )}
      </>
    );
  if (isGone) return <p class="hint">{fill(t.fileGone, { name })}</p>;
  const size = sizeOf(bytes);
  const load = () => {
    asked.add(message.id);
    setAsked(true);
  };
  const button =
    isShown && !isLoaded ? (
      <Button label={fill(t.loadPicture, { name, size })} onClick={load} />
    ) : (
      <Button icon={`↓ ${name} (${size})`} label={fill(t.download, { name })} onClick={() => attempt(save)} />
    );
  const { endsAtMillis } = file ?? {};
  const ends = endsAtMillis !== undefined && endsAtMillis > nowMillis() && (
    <small class="hint">{fill(t.fileUntil, { time: dayOf(endsAtMillis) })}</small>
  );
  return (
    <div class={isShown ? "picture" : ""}>
      {button} {ends}
    </div>
  );
}
