/** Makes the report: one function from units, span, template and wishes to the document. */
import {
  type Host,
  invalid,
  MAIN_CHANNEL,
  type Request,
  refuseChannel,
  refuseUnrecorded,
  rest,
  titleOf,
} from '../../lib/index.ts';
import { Questions } from './answers.ts';
import {
  paragraph,
  type ReportBlock,
  type ReportDocument,
  type ReportedUnit,
  type ReportLetterhead,
  type ReportSection,
} from './document.ts';
import { type Gathered, gatherUnit, type ReportWish } from './gather.ts';
import { SECTION_TITLES, SECTIONS } from './sections.ts';
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

type Composing = Pick<Host, 'ask' | 'configs' | 'evidence' | 'families' | 'log'>;

/**
 * Asks the API with the rights of `request`. Errors: those of the routes that are asked, with their paths; INVALID at `/channel`, where none of
 * the units records the channel.
 */
export async function composeReport(
  host: Composing,
  request: Request,
  { units, wish, template, title, remarks, letterhead }: ReportOrder,
): Promise<ReportDocument> {
  const { from, to, zone, channel, lang } = wish;
  const speech = new ReportSpeech(lang);
  const questions = new Questions(host, request);
  const reported: ReportedUnit[] = [];
  let known = 0;
  for (const unitId of units) {
    const gathered = await gatherUnit(host, questions.next(), unitId, wish);
    if (gathered) known += 1;
    const sections = gathered ? await sectionsOf(gathered, speech) : withoutFigures(wish, speech);
    const name = titleOf(host.configs.of(unitId));
    reported.push({ unit_id: unitId, title: withChannel(name, channel, speech), channel, sections });
  }
  if (known === 0) refuseChannelOf(host, units, channel);
  const period = speech.say('{from} to {to}, times of {zone}', {
    from: speech.moment(zone, from),
    to: speech.moment(zone, to),
    zone,
  });
  const names = units.map((unitId) => titleOf(host.configs.of(unitId))).join(', ');
  return {
    title: title || withChannel(speech.say('Noise report: {units}', { units: names }), channel, speech),
    ...{ template, lang, from, to, period, remarks, letterhead, units: reported },
  };
}

/** Who says nothing else means the main channel. */
const withChannel = (title: string, channel: string, speech: ReportSpeech): string =>
  channel === MAIN_CHANNEL ? title : speech.say('{title}, channel {channel}', { title, channel });

async function sectionsOf(gathered: Gathered, speech: ReportSpeech): Promise<readonly ReportSection[]> {
  const { sections, titles } = gathered.wish;
  const made: ReportSection[] = [];
  for (const section of sections) {
    const blocks: ReportBlock[] = [];
    for (const block of SECTIONS[section](gathered, speech)) {
      blocks.push(block);
      await rest();
    }
    made.push({ section, title: titles[section] ?? speech.say(SECTION_TITLES[section]), blocks });
  }
  return made;
}

/** Of a unit that does not record the channel: one sentence in the place of all sections. */
const withoutFigures = (
  { sections: [section = 'summary'], titles, channel }: ReportWish,
  speech: ReportSpeech,
): readonly ReportSection[] => [
  {
    ...{ section, title: titles[section] ?? speech.say(SECTION_TITLES[section]) },
    blocks: [
      paragraph(
        speech.say(
          'The channel {channel} of the meter is not recorded for this unit: this report has no figures of it.',
          { channel },
        ),
      ),
    ],
  },
];

/** Errors: INVALID at `/channel`, always: what the first unit lacks, or that none of several has it. */
function refuseChannelOf({ configs, families }: Composing, units: readonly string[], channel: string): never {
  const [first = ''] = units;
  const config = configs.of(first);
  if (units.length === 1) refuseChannel(channel, families.find(config.family), '/channel');
  if (units.length === 1) refuseUnrecorded(channel, config, '/channel');
  throw invalid([
    { path: '/channel', message: 'is recorded for none of these units: see history_channels of their configs' },
  ]);
}
