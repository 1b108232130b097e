// The public interface of `@mls-relay/groups/push`, for service workers and others that run when a push comes. It is a separate file, because pages need none of it.

export { tsMls } from "../mls/ts-mls.js";
export { indexedDbStore } from "../store/indexed-db-store.js";
export { type OpenedPush, openPush, type PushedGroup, type PushedMessage, type PushOptions } from "./open-push.js";
