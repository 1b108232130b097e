import type { ComponentChildren, VNode } from "preact";
import { useEffect, useErrorBoundary, useReducer, useRef, useState } from "preact/hooks";
import { encode } from "uqr";
import { observe, report, seen, update } from "./session.js";
import { fill, t } from "./texts.js";

/** Draws the component again after every change of the session. */
export function useChanges(): number {
  const [version, redraw] = useReducer<number, void>((count) => count + 1, 0);
  useEffect(() => observe(() => redraw()), []);
  return version;
}

/** Runs what a person has asked for, and shows why it failed, instead of what has failed before. */
export function attempt(work: () => Promise<unknown>): void {
  update({ problem: undefined });
  inBackground(work);
}

/** Runs what the page does by itself. */
export function inBackground(work: () => Promise<unknown>): void {
  void work().catch(report);
}

/** Reads once more after each change, one reading at a time: many changes in a row must not hold it up. */
export function useReading(read: () => Promise<unknown>, after: readonly unknown[]): void {
  const newest = useRef(read);
  newest.current = read;
  const { current: state } = useRef({ isStale: false, isReading: false });
  useEffect(() => {
    state.isStale = true;
    if (state.isReading) return;
    state.isReading = true;
    inBackground(async () => {
      try {
        while (state.isStale) {
          state.isStale = false;
          await newest.current();
        }
      } finally {
        state.isReading = false;
      }
    });
  }, after);
}

interface ButtonProps {
  label: string;
  /** Is shown instead of the label, which then explains it. */
  icon?: string;
  class?: string;
  pressed?: boolean;
  expanded?: boolean;
  disabled?: boolean;
  onClick(): void;
}

export function Button({ label, icon, class: look, pressed, expanded, disabled, onClick }: ButtonProps) {
  const explained = icon === undefined ? {} : { "aria-label": label, title: label };
  const states = { "aria-pressed": pressed, "aria-expanded": expanded, disabled };
  return (
    <button type="button" class={look} {...states} {...explained} onClick={() => onClick()}>
      {icon ?? label}
    </button>
  );
}

/** A circle with the first letter, in a colour that belongs to the name. */
export function Avatar({ name }: { name: string }) {
  let sum = 0;
  for (const sign of name) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 8;
  return (
    <span class={`avatar hue${sum}`} aria-hidden="true">
      {[...name.trim()][0]?.toUpperCase() ?? "?"}
    </span>
  );
}

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

/** What has failed. A dialog shows it too, because it hides the rest of the page. */
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

/** Of the largest code with the lowest correction. */
const maxQrBytes = 2_900;

interface AskTextProps {
  label: string;
  hint?: string;
  submit: string;
  /** The text of now. */
  now?: string | undefined;
  /** Whether the text may be removed. */
  isOptional?: boolean;
  /** The most characters of the text. */
  max?: number;
  onText(text: string): void;
}

/** Of people and groups. The library takes longer names of groups, which no view has room for. */
export const maxNameLength = 200;
const maxLinkLength = 16_000;

/** One field with a button. */
export function AskText({
  label,
  hint,
  submit,
  now = "",
  isOptional = false,
  max = maxLinkLength,
  onText,
}: AskTextProps) {
  const field = useRef<HTMLInputElement>(null);
  const [length, setLength] = useState(0);
  const answer = (event: Event) => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? "";
    if ((isOptional || text !== "") && text.length <= max) onText(text);
  };
  return (
    <form onSubmit={answer} class="ask">
      <label>
        {label}
        <input
          ref={field}
          required={!isOptional}
          defaultValue={now}
          autocomplete="off"
          aria-describedby={hint && "ask-hint"}
          aria-invalid={length > max}
          onInput={({ currentTarget }) => setLength(currentTarget.value.trim().length)}
        />
      </label>
      <TooLong length={length} max={max} />
      {hint && (
        <p class="hint" id="ask-hint">
          {hint}
        </p>
      )}
      <button type="submit" class="main" disabled={length > max}>
        {submit}
      </button>
    </form>
  );
}

/** Says so while a person is writing more than can be sent: text that was cut off unseen would be lost. */
export function TooLong({ length, max }: { length: number; max: number }) {
  if (length <= max) return null;
  return (
    <p class="bad" role="alert">
      {fill(t.tooLong, { max, length })}
    </p>
  );
}

/** A text that another device reads or a person passes on: to scan, and to copy. `short` can be typed in place of what is in the QR code. */
export function Shared({ text, short, label, hint }: { text: string; short?: string; label: string; hint: string }) {
  const [isCopied, setCopied] = useState(false);
  const shown = short ?? text;
  const copy = () => attempt(() => navigator.clipboard.writeText(shown).then(() => setCopied(true)));
  return (
    <section>
      <p class="hint">{hint}</p>
      <QrCode text={text} label={label} />
      <input
        readOnly
        aria-label={label}
        class={short && "short"}
        value={shown}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Button label={isCopied ? t.copied : t.copy} class="main" onClick={copy} />
    </section>
  );
}

/** Nothing if the text does not fit into a code: it can still be copied. */
function QrCode({ text, label }: { text: string; label: string }) {
  if (new TextEncoder().encode(text).length > maxQrBytes) return null;
  const { data, size } = encode(text, { border: 3 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** No message or chat that cannot be drawn hides the others. */
export function Apart({ children }: { children: VNode }) {
  const [problem] = useErrorBoundary();
  return problem === undefined ? children : <li class="hint pad">{t.notShown}</li>;
}

const time = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
/** Nothing for what is no time: relays and other people have said it. */
const formatted = (format: Intl.DateTimeFormat, millis: number): string =>
  Number.isNaN(new Date(millis).getTime()) ? "" : format.format(millis);
export const timeOf = (millis: number): string => formatted(time, millis);
export const dayOf = (millis: number): string => formatted(day, millis);
/** A time of today, or the day with it. */
export const momentOf = (millis: number, nowMillis: number): string =>
  dayOf(millis) === dayOf(nowMillis) ? timeOf(millis) : `${dayOf(millis)}, ${timeOf(millis)}`;
