import { useEffect, useState } from "preact/hooks";

// The relay knows administrators by their keys. Names are given by the reader and stay in this browser, so no
// administrator can choose a name that misleads others.

const storageKey = "mls-relay console names";
export const maxNameLength = 60;
const maxNames = 500;
const changes = new EventTarget();

type Names = Readonly<Record<string, string>>;

function readNames(): Names {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "{}");
    return typeof stored === "object" && stored !== null ? (stored as Names) : {};
  } catch {
    return {};
  }
}

/** Names an administrator; an empty name removes the given one. */
export function nameAdmin(deviceId: string, name: string): void {
  const { [deviceId]: _, ...others } = readNames();
  const kept = Object.entries(others).slice(1 - maxNames);
  localStorage.setItem(
    storageKey,
    JSON.stringify(Object.fromEntries(name === "" ? kept : [...kept, [deviceId, name]])),
  );
  changes.dispatchEvent(new Event("change"));
}

/** The names that this browser has for administrators, by device id. */
export function useNames(): Names {
  const [names, setNames] = useState(readNames);
  useEffect(() => {
    const update = () => setNames(readNames());
    update();
    changes.addEventListener("change", update);
    addEventListener("storage", update);
    return () => {
      changes.removeEventListener("change", update);
      removeEventListener("storage", update);
    };
  }, []);
  return names;
}
