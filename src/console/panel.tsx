import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Brings the section of a heading into view and gives it the focus when another thing is shown there: it was chosen elsewhere. */
export function useReveal<E extends HTMLElement>(shown: string) {
  const heading = useRef<E>(null);
  useEffect(() => {
    if (shown === "") return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.closest("section")?.scrollIntoView({ block: "start" });
  }, [shown]);
  return heading;
}

interface PanelProps {
  title: string;
  hint?: string;
  buttons?: ComponentChildren;
  /** What the panel shows, where that is chosen elsewhere on the page. */
  reveal?: string;
  children: ComponentChildren;
}

export function Panel({ title, hint, buttons, reveal, children }: PanelProps) {
  const heading = useReveal<HTMLHeadingElement>(reveal ?? "");
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {buttons !== undefined && <div class="buttons">{buttons}</div>}
      </header>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {children}
    </section>
  );
}
