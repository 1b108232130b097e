// The public interface of @mls-relay/groups/react-native: that of @mls-relay/groups, with stores and a runtime for React Native. It contains
// the client, because both need what that platform lacks.

export {
  AnswerError,
  BlobError,
  ConnectionError,
  MalformedError,
} from "../../client/index.js";
export * from "../index.js";
export { AbortController } from "./abort.js";
export { type ExpoSqlite, type ExpoSqliteDatabase, expoSqliteStore } from "./expo-sqlite.js";
export { type OpSqlite, type OpSqliteDatabase, type OpSqliteOptions, opSqliteStore } from "./op-sqlite.js";
export { type ReactNativeOptions, reactNativeRuntime } from "./runtime.js";
