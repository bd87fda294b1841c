/** A report as a workbook: a sheet with what it says in words, then one for each of its tables. */
import { MAIN_CHANNEL, tables, zones } from '../../lib/index.ts';
import type { ReportDocument } from './document.ts';
import { ReportSpeech } from './speech.ts';

/** The name of a sheet has 31 characters: behind an id of so many, a table can still be told by its name. */
const SHORT_ID = 10;

/**
 * The same document gives the same bytes. Sheets of several units begin with the id of the unit, or where one of these is long with its number,
 * which stands before its title among the words.
 */
export function reportXlsx(report: ReportDocument): Promise<Buffer> {
  const { say } = new ReportSpeech(report.lang);
  const about = [...(report.letterhead?.lines ?? []), report.title, report.period, report.remarks].filter(Boolean);
  const words: tables.SheetCell[][] = about.map((text) => ['', '', text]);
  const sheets: tables.TableSheet[] = [];
  const isSeveral = report.units.length > 1;
  const isShort = report.units.every(({ unit_id }) => unit_id.length <= SHORT_ID);
  for (const [index, { unit_id, title, channel, sections }] of report.units.entries()) {
    const ofUnit = isShort ? unit_id : String(index + 1);
    const place = isSeveral && !isShort ? `${ofUnit} ${title}` : title;
    const ofChannel = channel === MAIN_CHANNEL ? [] : [channel];
    for (const section of sections)
      for (const block of section.blocks) {
        if (block.block === 'text') words.push([place, section.title, block.text]);
        if (block.block !== 'table') continue;
        const name = [...(isSeveral ? [ofUnit] : []), ...ofChannel, block.name].join(' ');
        const columns = block.columns.map((column) => ({ ...column, offset: say('UTC offset') }));
        sheets.push({ name, columns, rows: block.rows });
      }
  }
  const columns = [say('Place ## of a measurement'), '', say('Text')].map((title) => ({
    title,
    kind: 'text' as const,
  }));
  return tables.workbook([{ name: say('Report'), columns, rows: words }, ...sheets], zones.instantOf(report.to));
}
