/** Whether a file's mode allows its group or others to read, change or run it. Windows has no such modes. */
export function isOpenToOthers(mode: number): boolean {
  return process.platform !== "win32" && (mode & groupAndOthers) !== 0;
}

const groupAndOthers = 0o077;

/** The command that makes a file accessible to its owner only. */
export function restrictCommand(path: string): string {
  return `chmod 600 ${/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`}`;
}
