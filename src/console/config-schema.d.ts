/** The contract's schema of the configuration, which the build takes from the generated OpenAPI document. */
declare module "virtual:config-schema" {
  export interface SettingSchema {
    type: "boolean" | "integer" | "number" | "string";
    description?: string;
    enum?: readonly string[];
    const?: string;
    minimum?: number;
    maximum?: number;
    minLength?: number;
    maxLength?: number;
    default?: unknown;
    readOnly?: boolean;
  }
  export interface GroupSchema {
    description?: string;
    properties: Readonly<Record<string, SettingSchema>>;
  }
  export const configSchema: { properties: Readonly<Record<string, GroupSchema>> };
}
