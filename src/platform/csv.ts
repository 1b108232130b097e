// Spreadsheets compute a cell that begins with one of these, tabulators and line ends included (OWASP, "CSV Injection").
const formulaStarts = /^[=+\-@\t\r\n]/;
const needsQuotes = /[",\r\n]/;

/**
 * One line of CSV (RFC 4180). Null is an empty cell. A text that a spreadsheet would take for a formula is preceded by an
 * apostrophe; numbers are written as they are.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = formulaStarts.test(value) ? `'${value}` : value;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
