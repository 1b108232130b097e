const maxLines = 20;
const lines: string[] = [];

/** Where the relays of tests log their errors; show-faults.ts adds them to the message of a test that fails. */
export const loggedFaults = {
  write(line: string): void {
    lines.push(line);
    if (lines.length > maxLines) lines.shift();
  },
  take(): string[] {
    return lines.splice(0);
  },
};
