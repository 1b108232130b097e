import type { ComponentChildren } from "preact";
import { formatNumber } from "./format.js";
import { changeQuery, usePlace } from "./route.js";
import { texts } from "./texts.js";

export interface Column<Row> {
  name: string;
  label: string;
  /** What the list sorts and filters by. */
  value(row: Row): string | number | null;
  show?(row: Row): ComponentChildren;
}

interface ListProps<Row> {
  /** Keeps the states of two lists in one view apart in the address bar. */
  name: string;
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
  /** What to do where there is nothing yet. */
  empty: string;
  /** Buttons of a row. */
  actions?: (row: Row) => ComponentChildren;
  /** How many there are, where not all were loaded. */
  total?: number;
  /** The relay sorts and pages this list; it has the sort orders of these columns only. */
  remote?: { sortable: readonly string[]; hasMore: boolean; sort: string };
  selection?: Selection;
}

interface Selection {
  selected: ReadonlySet<string>;
  toggle(keys: readonly string[], on: boolean): void;
}

/** The rows of a page, here and where the relay pages. */
export const pageRows = 50;

/** The page of a list that the address bar names, from 1. */
export function pageIn(query: Readonly<Record<string, string>>, name: string): number {
  return Math.max(1, Number(query[`${name}.page`]) || 1);
}

/** The rows that are shown, out of those that were loaded, as the address bar has it. */
function shownOf<Row>({ name, columns, rows, remote }: ListProps<Row>, query: Readonly<Record<string, string>>) {
  if (remote !== undefined) {
    const page = pageIn(query, name);
    const { length: matching } = rows;
    return { shown: rows, page, pages: remote.hasMore ? page + 1 : page, isEmpty: matching === 0, matching };
  }
  const filter = query[`${name}.filter`] ?? "";
  const matching = sorted(filtered(rows, columns, filter), columns, query[`${name}.sort`] ?? "");
  const pages = Math.max(1, Math.ceil(matching.length / pageRows));
  const page = Math.min(pages, pageIn(query, name));
  const shown = matching.slice((page - 1) * pageRows, page * pageRows);
  return { shown, page, pages, isEmpty: matching.length === 0, matching: matching.length };
}

/** A table that sorts, filters and pages what was loaded; its state stands in the address bar. */
export function List<Row>(props: ListProps<Row>) {
  const { name, columns, rows, keyOf, selection, remote } = props;
  const { query } = usePlace();
  const { shown, page, pages, isEmpty, matching } = shownOf(props, query);
  const sort = query[`${name}.sort`] ?? remote?.sort ?? "";
  if (rows.length === 0 && page === 1) return <p class="empty">{props.empty}</p>;
  return (
    <div class="list">
      {remote === undefined && <Filter name={name} filter={query[`${name}.filter`] ?? ""} />}
      <NarrowHead list={props} shown={shown} sort={sort} />
      <table>
        <caption class="hidden">{props.label}</caption>
        <thead>
          <tr>
            {selection && (
              <th scope="col">
                <SelectAll selection={selection} keys={shown.map(keyOf)} />
              </th>
            )}
            {columns.map((column) =>
              isSortable(column, remote) ? (
                <SortHeader key={column.name} list={name} column={column} sort={sort} />
              ) : (
                <th key={column.name} scope="col">
                  <span class="heading">{column.label}</span>
                </th>
              ),
            )}
            {props.actions && (
              <th scope="col">
                <span class="hidden">{texts.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <ListRow key={keyOf(row)} row={row} list={props} />
          ))}
        </tbody>
      </table>
      {isEmpty && <p class="empty">{texts.noMatch}</p>}
      <p class="hint">
        {remote === undefined
          ? texts.total(matching, rows.length, props.total ?? rows.length)
          : texts.rowsOf((page - 1) * pageRows, shown.length, remote.hasMore)}
      </p>
      {pages > 1 && <Pager name={name} page={page} pages={pages} isOpenEnded={remote !== undefined} />}
    </div>
  );
}

function isSortable<Row>({ name }: Column<Row>, remote: ListProps<Row>["remote"]): boolean {
  return remote === undefined || remote.sortable.includes(name);
}

function sortBy(list: string, sort: string): void {
  changeQuery({ [`${list}.sort`]: sort, [`${list}.page`]: "" });
}

interface NarrowHeadProps<Row> {
  list: ListProps<Row>;
  shown: readonly Row[];
  sort: string;
}

/** What the headings do, for a narrow screen, which shows each row as a card and no headings. */
function NarrowHead<Row>({ list: { name, columns, keyOf, selection, remote }, shown, sort }: NarrowHeadProps<Row>) {
  const sortable = columns.filter((column) => isSortable(column, remote));
  const id = `${name}-sort`;
  return (
    <div class="narrow-head">
      {selection && (
        <>
          <SelectAll selection={selection} keys={shown.map(keyOf)} /> <span aria-hidden="true">{texts.selectAll}</span>
        </>
      )}
      {sortable.length > 0 && (
        <>
          <label htmlFor={id}>{texts.sortBy}</label>
          <select id={id} value={sort} onChange={(event) => sortBy(name, event.currentTarget.value)}>
            {remote === undefined && <option value="">{texts.notSorted}</option>}
            {sortable.flatMap((column) => [
              <option key={column.name} value={column.name}>
                {texts.ascending(column.label)}
              </option>,
              <option key={`-${column.name}`} value={`-${column.name}`}>
                {texts.descending(column.label)}
              </option>,
            ])}
          </select>
        </>
      )}
    </div>
  );
}

function SelectAll({ selection, keys }: { selection: Selection; keys: readonly string[] }) {
  return (
    <SelectBox
      label={texts.selectAll}
      isOn={keys.every((key) => selection.selected.has(key))}
      onChange={(on) => selection.toggle(keys, on)}
    />
  );
}

function Filter({ name, filter }: { name: string; filter: string }) {
  return (
    <label class="filter">
      <span>{texts.filter}</span>
      <input
        type="search"
        value={filter}
        onInput={(event) => changeQuery({ [`${name}.filter`]: event.currentTarget.value, [`${name}.page`]: "" })}
      />
    </label>
  );
}

function ListRow<Row>({ row, list }: { row: Row; list: ListProps<Row> }) {
  const { columns, selection, actions, keyOf } = list;
  const key = keyOf(row);
  return (
    <tr>
      {selection && (
        <td>
          <SelectBox
            label={`${texts.select} ${key}`}
            isOn={selection.selected.has(key)}
            onChange={(on) => selection.toggle([key], on)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.name} data-label={column.label} class={typeof column.value(row) === "number" ? "number" : ""}>
          {column.show?.(row) ?? plain(column.value(row))}
        </td>
      ))}
      {actions && <td class="buttons">{actions(row)}</td>}
    </tr>
  );
}

function plain(value: string | number | null): string {
  return typeof value === "number" ? formatNumber(value) : (value ?? texts.none);
}

interface SelectBoxProps {
  label: string;
  isOn: boolean;
  onChange(on: boolean): void;
}

function SelectBox({ label, isOn, onChange }: SelectBoxProps) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={isOn}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

interface SortHeaderProps<Row> {
  list: string;
  column: Column<Row>;
  sort: string;
}

/** Sorts upwards at the first press, downwards at the second, not at all at the third. */
function SortHeader<Row>({ list, column, sort }: SortHeaderProps<Row>) {
  const isUp = sort === column.name;
  const isDown = sort === `-${column.name}`;
  const next = isUp ? `-${column.name}` : isDown ? "" : column.name;
  return (
    <th scope="col" aria-sort={isUp ? "ascending" : isDown ? "descending" : "none"}>
      <button type="button" class="sort" onClick={() => sortBy(list, next)}>
        {column.label} <span aria-hidden="true">{isUp ? "▲" : isDown ? "▼" : ""}</span>
      </button>
    </th>
  );
}

interface PagerProps {
  name: string;
  page: number;
  pages: number;
  /** How many pages there are is not known. */
  isOpenEnded: boolean;
}

function Pager({ name, page, pages, isOpenEnded }: PagerProps) {
  const go = (to: number) => changeQuery({ [`${name}.page`]: to === 1 ? "" : String(to) });
  return (
    <nav class="pager" aria-label={texts.pages}>
      <button type="button" disabled={page === 1} onClick={() => go(page - 1)}>
        {texts.previous}
      </button>
      <span>{isOpenEnded ? texts.page(page) : texts.pageOf(page, pages)}</span>
      <button type="button" disabled={page === pages} onClick={() => go(page + 1)}>
        {texts.next}
      </button>
    </nav>
  );
}

function filtered<Row>(rows: readonly Row[], columns: readonly Column<Row>[], filter: string): readonly Row[] {
  const wanted = filter.trim().toLowerCase();
  if (wanted === "") return rows;
  return rows.filter((row) => columns.some(({ value }) => String(value(row)).toLowerCase().includes(wanted)));
}

function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: string): readonly Row[] {
  const column = columns.find(({ name }) => name === sort.replace(/^-/, ""));
  if (column === undefined) return rows;
  const direction = sort.startsWith("-") ? -1 : 1;
  return [...rows].sort((a, b) => direction * compare(column.value(a), column.value(b)));
}

function compare(a: string | number | null, b: string | number | null): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a ?? "").localeCompare(String(b ?? ""));
}
