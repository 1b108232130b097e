/** Loads a module of Node.js without an import that would fail in a browser; `undefined` in a browser. */
export function builtinModule<T>(name: string): T | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.(name) as T | undefined;
}
