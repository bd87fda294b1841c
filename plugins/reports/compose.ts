/** Makes the report: one function from units, span, template and wishes to the document. */
import { type Host, type Request, titleOf } from '../../lib/index.ts';
import type { ReportDocument, ReportedUnit, ReportLetterhead } from './document.ts';
import { gatherUnit, type ReportWish } from './gather.ts';
import { SECTIONS } from './sections.ts';
import { ReportSpeech } from './speech.ts';

/** What a report is made of. */
export interface ReportOrder {
  readonly units: readonly string[];
  readonly wish: ReportWish;
  readonly template: string;
  /** Empty: the usual one. */
  readonly title: string;
  readonly remarks: string;
  readonly letterhead: ReportLetterhead | null;
}

/** Asks the API with the rights of `request`. Errors: those of the routes that are asked, with their paths. */
export async function composeReport(
  host: Pick<Host, 'ask' | 'configs' | 'evidence' | 'log'>,
  request: Request,
  { units, wish, template, title, remarks, letterhead }: ReportOrder,
): Promise<ReportDocument> {
  const { from, to, zone, sections, titles, lang } = wish;
  const speech = new ReportSpeech(lang);
  const reported: ReportedUnit[] = [];
  for (const unitId of units) {
    const gathered = await gatherUnit(host, request, unitId, wish);
    reported.push({
      ...{ unit_id: unitId, title: titleOf(gathered.config) },
      sections: sections.map((section) => ({
        ...{ section, title: titles[section] ?? speech.say(section), blocks: [...SECTIONS[section](gathered, speech)] },
      })),
    });
  }
  const period = speech.say('period', { from: speech.moment(zone, from), to: speech.moment(zone, to), zone });
  return {
    title: title || speech.say('title', { units: reported.map((unit) => unit.title).join(', ') }),
    ...{ template, lang, from, to, period, remarks, letterhead, units: reported },
  };
}
