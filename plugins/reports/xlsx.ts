/** A report as a workbook: a sheet with what it says in words, then one for each of its tables. */
import { MAIN_CHANNEL, tables, zones } from '../../lib/index.ts';
import type { ReportDocument } from './document.ts';
import { ReportSpeech } from './speech.ts';

/** The same document gives the same bytes. */
export function reportXlsx(report: ReportDocument): Promise<Buffer> {
  const { say } = new ReportSpeech(report.lang);
  const about = [...(report.letterhead?.lines ?? []), report.title, report.period, report.remarks].filter(Boolean);
  const words: tables.SheetCell[][] = about.map((text) => ['', '', text]);
  const sheets: tables.TableSheet[] = [];
  for (const { unit_id, title, channel, sections } of report.units)
    for (const section of sections)
      for (const block of section.blocks) {
        if (block.block === 'text') words.push([title, section.title, block.text]);
        if (block.block !== 'table') continue;
        const ofUnit = report.units.length > 1 ? [unit_id] : [];
        const ofChannel = channel === MAIN_CHANNEL ? [] : [channel];
        const name = [...ofUnit, ...ofChannel, block.name].join(' ');
        const columns = block.columns.map((column) => ({ ...column, offset: say('offset') }));
        sheets.push({ name, columns, rows: block.rows });
      }
  const columns = [say('place'), '', say('text')].map((title) => ({ title, kind: 'text' as const }));
  return tables.workbook([{ name: say('report'), columns, rows: words }, ...sheets], zones.instantOf(report.to));
}
