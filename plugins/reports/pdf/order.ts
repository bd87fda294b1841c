/** The order for the process that prints: the report with its cells as texts, so that it needs nothing of the gateway. */
import { mapInParts } from '../../../lib/built-in.ts';
import {
  type ReportBlock,
  type ReportChart,
  type ReportDocument,
  type ReportSection,
  type ReportStrip,
  type ReportTable,
  type ReportText,
  readingOrder,
  type VerdictMark,
} from '../document.ts';
import { cellText, isNumeric, shortDateText } from '../words.ts';

export type Paper = 'a4' | 'letter';

/** Every row has as many texts as there are columns. */
export interface PrintedTable {
  readonly block: 'table';
  readonly columns: readonly { readonly title: string; readonly isNumeric: boolean }[];
  readonly rows: readonly (readonly string[])[];
  readonly marks: readonly (VerdictMark | null)[];
}

/** `days`: each with its label. */
export type PrintedChart = ReportChart;
/** `days`: the text of each. */
export type PrintedStrip = ReportStrip;
export type PrintedBlock = ReportText | PrintedTable | PrintedChart | PrintedStrip;

interface PrintedSection {
  readonly title: string;
  readonly blocks: readonly PrintedBlock[];
}

export interface PrintedReport extends Pick<ReportDocument, 'title' | 'lang' | 'period' | 'remarks' | 'check'> {
  /** Lines of the letterhead; null: it has none. */
  readonly letterhead: readonly string[] | null;
  /** All of it on the first page; null: it has no first page of its own. */
  readonly overview: PrintedSection | null;
  readonly units: readonly { readonly title: string; readonly sections: readonly PrintedSection[] }[];
}

export interface FontPlace {
  readonly folder: string;
  /** Compressed with Brotli, as the build has them. */
  readonly isPacked: boolean;
}

export interface PrintOrder {
  readonly report: PrintedReport;
  readonly paper: Paper;
  /** A PNG or JPEG. */
  readonly logo?: Uint8Array | undefined;
  /** In the language of the report, with their gaps. */
  readonly words: Readonly<Record<'remarks' | 'page' | 'unprintable', string>>;
  readonly fonts: FontPlace;
  /** The date in the file, ms since 1970 UTC. */
  readonly createdAt: number;
}

/** Its texts by the habits of its language. Others have their turns between the rows of tables. */
export async function printedReport(report: ReportDocument): Promise<PrintedReport> {
  const { title, lang, zone, period, remarks, letterhead, check } = report;
  const overview = report.overview && (await sectionOf(report.overview, { lang, zone }));
  const units = [];
  for (const unit of readingOrder(report.units)) {
    const sections = [];
    for (const section of unit.sections) sections.push(await sectionOf(section, { lang, zone }));
    units.push({ title: unit.title, sections });
  }
  return { title, lang, period, remarks, check, letterhead: letterhead?.lines ?? null, overview, units };
}

async function sectionOf(section: ReportSection, local: Local): Promise<PrintedSection> {
  const blocks = [];
  for (const block of section.blocks) blocks.push(await blockOf(block, local));
  return { title: section.title, blocks };
}

type Local = Pick<ReportDocument, 'lang' | 'zone'>;

async function blockOf(block: ReportBlock, local: Local): Promise<PrintedBlock> {
  if (block.block === 'table') return tableOf(block, local);
  if (block.block === 'text') return block;
  if (block.block === 'strip') return { ...block, days: block.days.map((day) => shortDateText(day, local.lang)) };
  return { ...block, days: block.days.map(([at, day]) => [at, shortDateText(day, local.lang)] as const) };
}

const tableOf = async ({ columns, rows, marks = [] }: ReportTable, { lang, zone }: Local): Promise<PrintedTable> => ({
  block: 'table',
  marks,
  columns: columns.map((column) => ({ title: column.title, isNumeric: isNumeric(column) })),
  rows: await mapInParts(rows, (row) => columns.map((column, n) => cellText(row[n] ?? null, column, lang, zone))),
});
