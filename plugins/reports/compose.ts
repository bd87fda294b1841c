/** Makes the report: from units, span, template and wishes to the document. It reads what the sections need, and no more. */

import type { AlertEvent, Assessment, Calibration, Indices, Note } from '../../client/schemas.ts';
import {
  channelNames,
  invalid,
  MAIN_CHANNEL,
  mapInParts,
  refuseChannel,
  refuseUnrecorded,
  titleOf,
  zones,
} from '../../lib/built-in.ts';
import { type DeviceConfig, type Host, messageOf, type Request, rest } from '../../lib/index.ts';
import { type LevelsAnswer, type PermitVerdicts, Questions } from './answers.ts';
import {
  paragraph,
  type ReportBlock,
  type ReportDocument,
  type ReportedUnit,
  type ReportSection,
  type SectionName,
} from './document.ts';
import type { FactSource, Gathered, ReportWish } from './gathered.ts';
import { overview, overviewOf, type UnitOverview } from './overview.ts';
import { SECTION_TITLES, SECTIONS } from './sections.ts';
import { readUnitFacts } from './unit-facts.ts';
import { gatherWeather } from './weather.ts';
import { ReportWords } from './words.ts';

export interface ReportOrder {
  readonly units: readonly string[];
  readonly wish: ReportWish;
  readonly template: string;
  /** Empty: the usual one. */
  readonly title: string;
  readonly remarks: string;
  readonly letterhead: ReportDocument['letterhead'];
  /** Of the page that compares files with kept reports; null: the report does not lead there. */
  readonly checkAddress: string | null;
}

export type ReportSource = Pick<Host, 'ask' | 'families' | 'log' | 'signing'> & FactSource;

/**
 * Asks the API with the rights of `request`. Errors: those of the routes that are asked, with their paths; INVALID at `/channel`, where none of
 * the units records the channel.
 */
export async function composeReport(
  host: ReportSource,
  request: Request,
  { units, wish, template, title, remarks, letterhead, checkAddress }: ReportOrder,
): Promise<ReportDocument> {
  const { from, to, zone, channel, lang } = wish;
  const words = new ReportWords(lang, zone);
  const questions = new Questions(host, request);
  const reported: ReportedUnit[] = [];
  const overviews: UnitOverview[] = [];
  let known = 0;
  for (const unitId of units) {
    const gathered = await gatherUnit(host, questions.next(), unitId, wish, request.caller.signal);
    if (gathered) known += 1;
    const sections = gathered ? await sectionsOf(gathered, words) : withoutFigures(wish, words);
    const name = titleOf(host.configs.of(unitId));
    await rest();
    if (gathered && wish.sections.includes('overview')) overviews.push(await overviewOf(name, gathered, words));
    reported.push({ unit_id: unitId, title: withChannel(name, channel, words), channel, sections });
  }
  if (known === 0) refuseChannelOf(host, units, channel);
  const period = words.say('{period}, times of {zone}', { period: words.period(from, to), zone });
  const names = units.map((unitId) => titleOf(host.configs.of(unitId))).join(', ');
  return {
    title: title || withChannel(words.say('Noise report: {units}', { units: names }), channel, words),
    template,
    lang,
    zone,
    from,
    to,
    period,
    remarks,
    letterhead,
    check:
      checkAddress === null
        ? null
        : {
            text: words.say(
              'Has this file been changed? This page compares it with the report that the gateway keeps:',
            ),
            address: checkAddress,
          },
    overview:
      overviews.length > 0
        ? {
            section: 'overview',
            title: wish.titles.overview ?? words.say(SECTION_TITLES.overview),
            blocks: await inParts(overview(overviews, words)),
          }
        : null,
    units: reported,
  };
}

/** Others have their turns between two blocks. */
async function inParts(blocks: Iterable<ReportBlock>): Promise<readonly ReportBlock[]> {
  return mapInParts(blocks, (block) => block);
}

/** The main channel is not named. */
const withChannel = (title: string, channel: string, words: ReportWords): string =>
  channel === MAIN_CHANNEL ? title : words.say('{title}, channel {channel}', { title, channel });

async function sectionsOf(gathered: Gathered, words: ReportWords): Promise<readonly ReportSection[]> {
  const { sections, titles } = gathered.wish;
  const made: ReportSection[] = [];
  for (const section of sections) {
    if (section === 'overview') continue;
    const blocks = await inParts(SECTIONS[section](gathered, words));
    const title = titles[section] ?? words.say(SECTION_TITLES[section]);
    // A list of intervals above a limit needs a limit.
    if (blocks.length > 0) made.push({ section, title, blocks });
  }
  return made;
}

/** Of a unit that does not record the channel: one sentence in the place of all sections. */
function withoutFigures({ sections, titles, channel }: ReportWish, words: ReportWords): readonly ReportSection[] {
  const section = sections.find((one) => one !== 'overview') ?? 'summary';
  const text = words.say(
    'The channel {channel} of the meter is not recorded for this unit: this report has no figures of it.',
    { channel },
  );
  return [{ section, title: titles[section] ?? words.say(SECTION_TITLES[section]), blocks: [paragraph(text)] }];
}

/** Errors: INVALID at `/channel`, always: what the first unit lacks, or that none of several has it. */
function refuseChannelOf({ configs, families }: ReportSource, units: readonly string[], channel: string): never {
  const [first = ''] = units;
  const config = configs.of(first);
  if (units.length === 1) refuseChannel(channel, families.find(config.family), '/channel');
  if (units.length === 1) refuseUnrecorded(channel, config, '/channel');
  throw invalid([
    { path: '/channel', message: 'is recorded for none of these units: see history_channels of their configs' },
  ]);
}

/**
 * Undefined: the unit does not record the channel, or its meter has none of this name, and nothing is known of it in the span.
 * Errors: those of the routes that are asked, with their paths.
 */
async function gatherUnit(
  host: Pick<Host, 'families' | 'log' | 'signing'> & FactSource,
  questions: Questions,
  unitId: string,
  wish: ReportWish,
  signal: AbortSignal,
): Promise<Gathered | undefined> {
  const { from, to, zone, channel, sections, exclusions: applied } = wish;
  const span = { from, to };
  const config = host.configs.of(unitId);
  const isMain = channel === MAIN_CHANNEL;
  if (!isMain && !channelNames(host.families.find(config.family)?.channels ?? []).includes(channel)) return undefined;
  const ofChannel = isMain ? {} : { channel };
  const needs = (...names: readonly SectionName[]) => names.some((name) => sections.includes(name));
  const about = <Answer>(path: string, query: object) =>
    questions.data<Answer>(`/{unit_id}/${path}`, unitId, { ...span, zone, ...ofChannel, ...query });
  const indices = await about<Indices>('indices', { preset: wish.periods, exclusions: applied });
  if (!isMain && !config.historyChannels.includes(channel) && indices.weighting === null) return undefined;
  const judgement = needs('summary', 'limits')
    ? await about<Assessment>('assessment', { ...wish.judged, exclusions: applied })
    : undefined;
  const verdicts = needs('summary', 'overview') && isMain ? await verdictsOf(host, questions, config, span) : undefined;
  const own = needs('meter', 'levels', 'exceedances', 'left_out')
    ? await readUnitFacts(host, unitId, wish, signal)
    : undefined;
  const levels =
    needs('charts', 'overview') && !own
      ? await about<LevelsAnswer>('history', { step: 'auto', quantities: 'leq,lmax', exclusions: applied })
      : undefined;
  const events = needs('events', 'overview')
    ? await questions.list<AlertEvent>('/_alerts/events', unitId, { unit: unitId, ...span })
    : undefined;
  const noted = needs('exclusions', 'weather', 'charts', 'overview')
    ? await questions.list<Note>('/{unit_id}/notes', unitId, { kind: 'exclusion', ...span })
    : undefined;
  // Exclusions of other channels do not count here.
  const concerned = ({ channels }: Note) => channels === null || channels.includes(channel);
  const exclusions = noted && { ...noted, items: noted.items.filter(concerned) };
  const calibrations = needs('calibration')
    ? await questions.list<Calibration>('/{unit_id}/calibrations', unitId, {})
    : undefined;
  const weather = needs('weather', 'overview') ? await gatherWeather(questions, unitId, { ...span, zone }) : undefined;
  const fingerprint = await fingerprintOf(host);
  const answers = { indices, assessment: judgement, verdicts, levels, own, events, exclusions, calibrations, weather };
  return { config, wish, ...answers, asked: questions.asked, fingerprint };
}

/** Permits judge the main channel by the clock of the unit. */
async function verdictsOf(
  { permits }: Pick<FactSource, 'permits'>,
  questions: Questions,
  config: DeviceConfig,
  span: { readonly from: string; readonly to: string },
): Promise<readonly PermitVerdicts[]> {
  const found: PermitVerdicts[] = [];
  for (const { name, title } of permits.of(config)) {
    const query = { ...datesOf(config.timezone, span), permit: name };
    const { days } = await questions.data<PermitVerdicts>('/{unit_id}/verdicts', config.unitId, query);
    found.push({ title, days });
  }
  return found;
}

function datesOf(zone: string, { from, to }: { readonly from: string; readonly to: string }) {
  const days = zones.calendarSpans(zone, { from: zones.instantOf(from), to: zones.instantOf(to) }, 'day');
  return { from: days[0]?.name ?? '', to: days.at(-1)?.name ?? '' };
}

/** Of the key of this gateway; null where a key cannot be made now: the report is made all the same. */
async function fingerprintOf({ signing, log }: Pick<Host, 'log' | 'signing'>): Promise<string | null> {
  try {
    return (await signing.present()).fingerprint;
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'there is no signing key for a report');
    return null;
  }
}
