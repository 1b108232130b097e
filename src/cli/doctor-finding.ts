/** The result of a check of `doctor`, with advice if there is a problem. */
export interface Finding {
  check: string;
  state: "ok" | "warning" | "failure";
  message: string;
  advice?: string;
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
