/** Whether an error, or what caused it, is that this process or its machine has as many open files as it may have. */
export function isOutOfFiles(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === "EMFILE" || code === "ENFILE" || (cause !== undefined && isOutOfFiles(cause));
}
