/**
 * Tables as they are after all of their migrations. SQLite reads every table of a file again after each `alter table`, and a new
 * database would have forty of them: they were a fifth of its first start.
 */

const MADE = /^\s*create table (\S+)/i;
const ADDED = /^\s*alter table (\S+) add column (.+)$/is;
/** What stands behind the last column: the rules of the table, or its end. */
const END = /,\s*(?:primary key|unique|foreign key|check|constraint)\b|\)[^)]*$/i;

const INDEX = /^\s*create (?:unique )?index/i;

/**
 * The same statements without `add column` for a table that they make: it has the column from the beginning, where SQLite would
 * write it. Where a statement between the two works with the table, they stay as they are.
 */
export function withColumns(statements: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const statement of statements) {
    const [, table = '', column] = ADDED.exec(statement) ?? [];
    const at = whole.findLastIndex((other) => MADE.exec(other)?.[1] === table);
    const made = whole[at];
    const works = (other: string) => other.includes(table) && !INDEX.test(other);
    if (made === undefined || whole.slice(at + 1).some(works)) whole.push(statement);
    else whole[at] = made.replace(END, (end) => `, ${column}${end}`);
  }
  return whole;
}
