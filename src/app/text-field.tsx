import { useRef, useState } from "preact/hooks";
import { fill, t } from "./texts.js";

interface AskTextProps {
  label: string;
  hint?: string;
  submit: string;
  /** The present text. */
  now?: string | undefined;
  /** Whether the text may be removed. */
  isOptional?: boolean;
  /** The most characters that the text may have. */
  max?: number;
  onText(text: string): void;
}

/** The longest name of a person or group. The library accepts longer group names, for which no view has room. */
export const maxNameLength = 200;
const maxLinkLength = 16_000;

/** A text field with a button. */
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

/** Warns while the user writes more than can be sent: silently truncated text would be lost. */
export function TooLong({ length, max }: { length: number; max: number }) {
  if (length <= max) return null;
  return (
    <p class="bad" role="alert">
      {fill(t.tooLong, { max, length })}
    </p>
  );
}
