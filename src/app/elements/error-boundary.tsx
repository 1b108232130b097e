import type { VNode } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { t } from "../texts.js";

/** No message or chat that cannot be drawn hides the others. */
export function Apart({ children }: { children: VNode }) {
  const [problem] = useErrorBoundary();
  return problem === undefined ? children : <li class="hint pad">{t.notShown}</li>;
}
