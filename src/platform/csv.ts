// Spreadsheets evaluate a cell that begins with one of these, tabs and line ends included (OWASP, "CSV Injection").
const formulaStarts = /^[=+\-@\t\r\n]/;
const needsQuotes = /[",\r\n]/;

/**
 * One line of CSV (RFC 4180). Null is an empty cell. Text that a spreadsheet would evaluate as a formula is prefixed with
 * an apostrophe; numbers are not.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** A cell with a time that spreadsheets and people can read: date and time in UTC (RFC 3339). */
export function csvTime(unixSeconds: number): string {
  return new Date(1000 * unixSeconds).toISOString().replace(/\.\d+Z$/, "Z");
}

function csvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = formulaStarts.test(value) ? `'${value}` : value;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
