import { useConsole } from "./context.js";
import { useNames } from "./names.js";
import { hrefWithin, usePlace } from "./route.js";
import { texts } from "./texts.js";

/** A device id, shortened for the eye, whole for the pointer and for who copies the link. */
export function DeviceLink({ id, name }: { id: string; name?: string | undefined }) {
  return (
    <a href={hrefWithin(usePlace(), "devices", { id })} title={id} class={name === undefined ? "id" : undefined}>
      {name ?? shortId(id)}
    </a>
  );
}

/** An administrator by the name that this browser has, or by the beginning of the id. */
export function AdminLink({ id }: { id: string }) {
  const { session } = useConsole();
  const name = useNames()[id];
  return (
    <span>
      <DeviceLink id={id} name={name} />
      {id === session.deviceId && ` ${texts.you}`}
    </span>
  );
}

const shownDigits = 12;

function shortId(id: string): string {
  return `${id.slice(0, shownDigits)}…`;
}
