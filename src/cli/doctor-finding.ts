/** The result of a check of `doctor`, with advice if there is a problem. */
export interface Finding {
  check: string;
  state: "ok" | "warning" | "failure";
  message: string;
  advice?: string;
}

/** The advice about a missing file or folder. `running` is the URL of a relay that runs on this machine. */
export function adviceForMissing(variables: string, running: string | null): string {
  return running === null
    ? `the first start creates it; check ${variables}`
    : `the relay that runs at ${running} uses another one: give this command its ${variables}, for instance with --env-file`;
}

export function ok(check: string, message: string): Finding {
  return { check, state: "ok", message };
}

export function warning(check: string, message: string, advice: string): Finding {
  return { check, state: "warning", message, advice };
}

export function failure(check: string, message: string, advice: string): Finding {
  return { check, state: "failure", message, advice };
}
