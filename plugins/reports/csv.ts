/** The tables of a report as CSV for spreadsheets: numbers as the API gives them, times as text with their offset. */
import { MAIN_CHANNEL, rest, tables } from '../../lib/index.ts';
import type { ReportDocument } from './document.ts';

/** One table after another, each below a line with unit, section, name and the channel, where it is not `main`; an empty line ends it. A text that would be a formula begins with an apostrophe. */
export async function reportCsv(report: ReportDocument): Promise<string> {
  const lines: string[] = [];
  for (const unit of report.units)
    for (const { section, blocks } of unit.sections)
      for (const block of blocks) {
        if (block.block !== 'table') continue;
        const channel = unit.channel === MAIN_CHANNEL ? [] : [unit.channel];
        lines.push(tables.csvLine([unit.unit_id, section, block.name, ...channel], 'csv'));
        lines.push(
          tables.csvLine(
            block.columns.map(({ title }) => title),
            'csv',
          ),
        );
        for (const row of block.rows) {
          lines.push(tables.csvLine(row, 'csv'));
          await rest();
        }
        lines.push('\r\n');
      }
  return `${tables.BYTE_ORDER_MARK}${lines.join('')}`;
}
