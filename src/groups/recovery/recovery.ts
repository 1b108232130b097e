export { exportBackup, makeRecoveryKey, restoreBackup } from "./backup.js";
export { comeBack, lostGroups } from "./coming-back.js";
