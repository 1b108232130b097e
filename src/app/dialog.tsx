import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "./button.js";
import { useChanges } from "./hooks.js";
import { seen } from "./session.js";
import { t } from "./texts.js";

export function Dialog({ title, onClose, children }: { title: string; onClose(): void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <Button icon="✕" label={t.close} class="icon" onClick={() => dialog.current?.close()} />
      </header>
      {children}
      <Problem />
    </dialog>
  );
}

/** The current problem. A dialog shows it, too, because it hides the rest of the page. */
export function Problem() {
  useChanges();
  if (seen.problem === undefined) return null;
  const { text, detail } = seen.problem;
  return (
    <p class="toast" role="alert">
      {text} <span lang="en">{detail}</span>
    </p>
  );
}
