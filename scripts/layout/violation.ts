/** A place in the sources that breaks a rule. */
export interface Violation {
  /** Path from the project's folder. */
  file: string;
  line: number;
  rule: string;
}

export function describeViolation({ file, line, rule }: Violation): string {
  return `${file}:${line}: ${rule}`;
}
