/** Loads a module of Node.js without an import that would fail in a browser; `undefined` in a browser. */
export function builtinModule<T>(name: string): T | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.(name) as T | undefined;
}

type Events = { setMaxListeners(most: number, target: EventTarget): void };

/** For what all groups of a device listen to at once: Node.js would report more than ten listeners as a leak. */
export function allowManyListeners(target: EventTarget): void {
  builtinModule<Events>("node:events")?.setMaxListeners(0, target);
}
