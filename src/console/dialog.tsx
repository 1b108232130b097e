import { useEffect, useRef, useState } from "preact/hooks";
import type { Action, ActionField, ActionOutcome } from "./action.js";
import { FailureNote } from "./failure-note.js";
import { formatName } from "./format.js";
import { texts } from "./texts.js";

interface ActionDialogProps {
  action: Action;
  onClose(outcome?: ActionOutcome): void;
}

/**
 * Asks for what an action needs, runs it, and stays open with the error where it fails. It closes when the address changes, but
 * not while the action runs, because its outcome would then go unseen.
 */
export function ActionDialog({ action, onClose }: ActionDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    const leave = () => isBusy || dialog.current?.close();
    addEventListener("hashchange", leave);
    return () => removeEventListener("hashchange", leave);
  }, [isBusy]);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement)) as Record<string, string>;
    setBusy(true);
    setFailure(undefined);
    try {
      onClose(await action.run(values));
      action.onDone?.();
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onCancel={(event) => isBusy && event.preventDefault()}
      onClose={() => onClose()}
    >
      <form onSubmit={submit}>
        <h2 id="dialog-title">{action.title}</h2>
        <p>{action.explanation}</p>
        {action.fields?.map((field) => (
          <FieldRow key={field.name} field={field} />
        ))}
        {action.nameToType !== undefined && <NameToType name={action.nameToType} />}
        {failure !== undefined && <FailureNote failure={failure} />}
        <div class="buttons">
          <button type="submit" class={action.nameToType === undefined ? "primary" : "danger"} disabled={isBusy}>
            {isBusy ? texts.working : action.submitLabel}
          </button>
          <button type="button" disabled={isBusy} onClick={() => dialog.current?.close()}>
            {texts.cancel}
          </button>
        </div>
      </form>
    </dialog>
  );
}

function NameToType({ name }: { name: string }) {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return (
    <label>
      {texts.typeName} <code>{name}</code>
      <input name="nameToType" required pattern={escaped} title={texts.typeNameTitle} autocomplete="off" />
    </label>
  );
}

function FieldRow({ field }: { field: ActionField }) {
  return (
    <label htmlFor={idOf(field)}>
      <span>
        {field.label} {field.optional && <small>{texts.optional}</small>}
      </span>
      <FieldInput field={field} />
      {field.hint !== undefined && <small>{field.hint}</small>}
    </label>
  );
}

function FieldInput({ field }: { field: ActionField }) {
  const { name, value = "", min, max } = field;
  const required = field.optional !== true;
  if (field.type === "lines")
    return <textarea id={idOf(field)} name={name} rows={6} defaultValue={value} required={required} />;
  if (field.type === "select")
    return (
      <select id={idOf(field)} name={name} required={required}>
        {field.options?.map((option) => (
          <option key={option} value={option} selected={option === value}>
            {formatName(option)}
          </option>
        ))}
      </select>
    );
  const shared = { id: idOf(field), name, required, defaultValue: value };
  if (field.type === "number") return <input {...shared} type="number" min={min} max={max} step="any" />;
  if (field.type === "date") return <input {...shared} type="datetime-local" />;
  return <input {...shared} maxLength={max} />;
}

function idOf({ name }: ActionField): string {
  return `field-${name}`;
}
