/** The page with the text between `<!-- name -->` and `<!-- end -->` replaced by the table or list of that name. */
export function fillTables(page: string, tables: Readonly<Record<string, () => string>>): string {
  return Object.entries(tables).reduce(
    (text, [name, make]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- end -->)`),
        (_, begin: string, end: string) => `${begin}\n${make()}\n\n${end}`,
      ),
    page,
  );
}
