/**
 * Tables in their state after all migrations. SQLite reads every table of a file again after each `alter table`, and a
 * new database would have forty of them: they took a fifth of its first start.
 */

const MADE = /^\s*create table (\S+)/i;
const ADDED = /^\s*alter table (\S+) add column (.+)$/is;
/** The text after the last column: the rules of the table, or its end. */
const END = /,\s*(?:primary key|unique|foreign key|check|constraint)\b|\)[^)]*$/i;

const INDEX = /^\s*create (?:unique )?index/i;

/**
 * The same statements without `add column` for a table that they create: it has the column from the beginning, at the
 * place where SQLite would put it. If a statement between the two uses the table, both stay.
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
