import { integer, type ValuesOf } from "../platform/config/setting.js";

/** The audit log. */
export const auditSettings = {
  auditDefaultLimit: integer("Audit entries per page when a query names no limit", {
    default: 100,
    min: 1,
    max: 10_000,
  }),
  auditMaxLimit: integer("Maximum number of audit entries per page", { default: 1000, min: 1, max: 1000 }),
};

export type AuditSettings = ValuesOf<typeof auditSettings>;
