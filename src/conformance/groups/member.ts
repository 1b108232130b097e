// The other members: devices of the suite by @mls-relay/groups, which reads what the program sends as the pages say.

import { readSvcMessage, readSystemOperation } from "../../client/messages/svc-messages.js";
import type { Group } from "../../groups/group.js";
import { openGroups } from "../../groups/groups.js";
import type { Mls } from "../../groups/mls/mls.js";
import { tsMls } from "../../groups/mls/ts-mls.js";
import { memoryStore } from "../../groups/store/memory-store.js";
import type { WatchedRelay } from "./relay.js";

export interface OtherMember {
  readonly address: string;
  /** The texts that it has read, in order. */
  readonly texts: readonly string[];
  /** Its group of this name. */
  groupOf(name: string): Group | undefined;
  close(): Promise<void>;
}

/** It talks to the relay directly, not through the proxy that watches the program. */
export async function openMember(url: string, name: string, watched: WatchedRelay): Promise<OtherMember> {
  const texts: string[] = [];
  const me = await openGroups({
    relay: url,
    domain: watched.domain,
    store: memoryStore(),
    name,
    mls: checking(watched),
  });
  me.subscribe((event) => {
    if (event.type === "message" && !event.message.isMine) texts.push(event.message.text);
    watched.changed();
  });
  return {
    address: me.address,
    texts,
    groupOf: (name) => me.groups().find((group) => group.name === name && group.state === "active"),
    close: () => me.close(),
  };
}

/** An MLS library that reports contents that are neither a SvcMessage nor a SystemOperation. */
function checking(watched: WatchedRelay): Mls {
  const mls = tsMls();
  const { decrypt } = mls;
  mls.decrypt = async (...given) => {
    const read = await decrypt.apply(mls, given);
    if (![readSvcMessage, readSystemOperation].some((reads) => isReadBy(reads, read.content)))
      watched.fault(
        `a content that is neither SvcMessage nor SystemOperation: ${new TextDecoder().decode(read.content)}`,
      );
    return read;
  };
  return mls;
}

function isReadBy(reads: (content: Uint8Array) => unknown, content: Uint8Array): boolean {
  try {
    reads(content);
    return true;
  } catch {
    return false;
  }
}
