import type { VNode } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { t } from "./texts.js";

/** Keeps a message or chat that cannot be drawn from hiding the others. */
export function Apart({ children }: { children: VNode }) {
  const [problem] = useErrorBoundary();
  return problem === undefined ? children : <li class="hint pad">{t.notShown}</li>;
}
