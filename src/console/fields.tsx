import { useEffect, useState } from "preact/hooks";

interface LookUpProps {
  label: string;
  button: string;
  isDangerous?: boolean;
  /** What was looked up before, perhaps elsewhere on the page. */
  given?: string;
  onSubmit(typed: string): void;
}

/** Asks for the one thing that somebody has in mind, which no list needs to show. */
export function LookUp({ label, button, isDangerous = false, given = "", onSubmit }: LookUpProps) {
  const [typed, setTyped] = useState(given);
  useEffect(() => {
    if (given !== "") setTyped(given);
  }, [given]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit(typed.trim());
  };
  return (
    <form class="controls" onSubmit={submit}>
      <label class="wide">
        {label}
        <input
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          spellcheck={false}
          autocomplete="off"
          required
        />
      </label>
      <button type="submit" class={isDangerous ? "danger" : "primary"}>
        {button}
      </button>
    </form>
  );
}

const numeric = { type: "number", min: 0 } as const;

interface FilterFieldProps {
  label: string;
  value: string;
  onCommit(value: string): void;
  placeholder?: string;
  /** The highest number, where it takes numbers. */
  max?: number;
}

/** A filter that takes effect when it is left. What is being typed stays while the list beneath it is loaded again. */
export function FilterField({ label, value, onCommit, placeholder = "", max }: FilterFieldProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const shared = {
    value: typed,
    onInput: (event: { currentTarget: HTMLInputElement }) => setTyped(event.currentTarget.value),
    onChange: (event: { currentTarget: HTMLInputElement }) => onCommit(event.currentTarget.value.trim()),
  };
  return (
    <label>
      {label}
      <input {...shared} {...(max === undefined ? { placeholder, spellcheck: false } : { ...numeric, max })} />
    </label>
  );
}
