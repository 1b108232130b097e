import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Action, ActionOutcome } from "./action.js";
import type { SignedIn } from "./session.js";

export interface ConsoleContext {
  session: SignedIn;
  /** Opens the dialog of an action. */
  ask(action: Action): void;
  /** Reports that something was done, and offers to undo it. */
  report(outcome: ActionOutcome): void;
}

export const Context = createContext<ConsoleContext | undefined>(undefined);

/** For the views, which are rendered only while an administrator is signed in. */
export function useConsole(): ConsoleContext {
  const context = useContext(Context);
  if (context === undefined) throw new Error("a view is rendered outside the console");
  return context;
}
