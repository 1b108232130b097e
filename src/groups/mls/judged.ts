// Any other library with ts-mls as its judge: a commit that breaks a rule which all members see is void before the library reads it.

import { NotLoadedError } from "../../client/index.js";
import type { JudgingMls, Mls, SignedCommit } from "./mls.js";

export function judged(mls: Mls, judge: JudgingMls): JudgingMls {
  type Given = { commit: Uint8Array; isAllowed: (commit: SignedCommit) => boolean };
  const counts = async (state: unknown, { commit, isAllowed }: Given): Promise<boolean> => {
    const outline = mls.outline(state);
    try {
      await judge.follow(outline, [commit], (_, signed) => isAllowed(signed));
      return true;
    } catch (problem) {
      if (problem instanceof NotLoadedError) throw problem;
      return false;
    }
  };
  const isAllowed = () => true;
  const { repair, processRepaired } = mls;
  const changed: Partial<JudgingMls> = {
    follow: (...given) => judge.follow(...given),
    process: async (state, commit, ask) =>
      (await counts(state, { commit, isAllowed: ask })) ? mls.process(state, commit, isAllowed) : { kind: "void" },
    ...(repair && {
      repair: async (state, given) =>
        (await counts(state, given)) ? repair.call(mls, state, { ...given, isAllowed }) : undefined,
    }),
    ...(processRepaired && {
      processRepaired: async (state, given) =>
        (await counts(state, given)) ? processRepaired.call(mls, state, { ...given, isAllowed }) : { kind: "void" },
    }),
  };
  return new Proxy(mls, {
    has: (target, name) => name in changed || name in target,
    get(target, name) {
      const member = name in changed ? changed[name as keyof Mls] : Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  }) as JudgingMls;
}
