/** Factors for the configuration table, so that it reads like the text it stems from. */
export const kibibyte = 1024;
export const mebibyte = 1024 * kibibyte;
export const gibibyte = 1024 * mebibyte;
export const minute = 60;
export const hour = 60 * minute;
export const day = 24 * hour;
