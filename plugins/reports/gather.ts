/** Reads what a report of one unit needs, and no more. */
import {
  assessment,
  channelNames,
  type DeviceConfig,
  fingerprintForReports,
  type Host,
  type Language,
  MAIN_CHANNEL,
} from '../../lib/index.ts';
import type {
  AskedQuery,
  AssessmentAnswer,
  CalibrationAnswer,
  EventAnswer,
  IndicesAnswer,
  LevelsAnswer,
  NoteAnswer,
  Questions,
} from './answers.ts';
import type { SectionName } from './document.ts';
import { type GatheredWeather, gatherWeather } from './gather-weather.ts';

/** Parameters of GET assessment that a report takes besides the preset. */
export const JUDGED = Object.freeze(['area', 'calendar', 'limits', ...assessment.SAID] as const);
type JudgedName = (typeof JUDGED)[number];

/** What a report is about, checked. */
export interface ReportWish {
  /** RFC 3339. */
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  readonly lang: Language;
  /** Of the meters. */
  readonly channel: string;
  /** Of GET indices. */
  readonly periods: string;
  /** Of GET assessment; all but `preset` only where somebody gave it. */
  readonly judged: Readonly<{ preset: string } & Partial<Record<JudgedName, string>>>;
  readonly sections: readonly SectionName[];
  /** In the place of those of the language. */
  readonly titles: Readonly<Partial<Record<SectionName, string>>>;
}

interface Listed<Item> {
  readonly items: readonly Item[];
  /** There are more. */
  readonly isCut: boolean;
}

/** Answers of the API about one unit. Undefined: the template does not need it. */
export interface Gathered {
  readonly config: DeviceConfig;
  readonly wish: ReportWish;
  readonly indices: IndicesAnswer;
  readonly assessment: AssessmentAnswer | undefined;
  readonly levels: LevelsAnswer | undefined;
  readonly events: Listed<EventAnswer> | undefined;
  readonly exclusions: Listed<NoteAnswer> | undefined;
  readonly calibrations: Listed<CalibrationAnswer> | undefined;
  readonly weather: GatheredWeather | undefined;
  readonly asked: readonly AskedQuery[];
  /** Of the key that signs packages of evidence; null: there is none. */
  readonly fingerprint: string | null;
}

/**
 * Undefined: the unit does not record the channel, or its meter has none of this name, and nothing is known of it in the span.
 * Errors: those of the routes that are asked, with their paths.
 */
export async function gatherUnit(
  host: Pick<Host, 'configs' | 'evidence' | 'families' | 'log'>,
  questions: Questions,
  unitId: string,
  wish: ReportWish,
): Promise<Gathered | undefined> {
  const { from, to, zone, channel, sections } = wish;
  const span = { from, to };
  const config = host.configs.of(unitId);
  const isMain = channel === MAIN_CHANNEL;
  if (!isMain && !channelNames(host.families.find(config.family)?.channels ?? []).includes(channel)) return undefined;
  const ofChannel = isMain ? {} : { channel };
  const needs = (...names: readonly SectionName[]) => names.some((name) => sections.includes(name));
  const about = <Answer>(path: string, query: object) =>
    questions.data<Answer>(`/{unit_id}/${path}`, unitId, { ...span, zone, ...ofChannel, ...query });
  const indices = await about<IndicesAnswer>('indices', { preset: wish.periods, exclusions: 'apply' });
  if (!isMain && !config.historyChannels.includes(channel) && indices.weighting === null) return undefined;
  const judgement = needs('summary', 'limits')
    ? await about<AssessmentAnswer>('assessment', { ...wish.judged, exclusions: 'apply' })
    : undefined;
  const levels = needs('charts')
    ? await about<LevelsAnswer>('history', { step: 'auto', quantities: 'leq,lmax', exclusions: 'apply' })
    : undefined;
  const events = needs('events')
    ? await questions.list<EventAnswer>('/_alerts/events', unitId, { unit: unitId, ...span })
    : undefined;
  const noted = needs('exclusions', 'weather')
    ? await questions.list<NoteAnswer>('/{unit_id}/notes', unitId, { kind: 'exclusion', ...span })
    : undefined;
  // What is excluded of other channels alone counts here.
  const concerned = ({ channels }: NoteAnswer) => channels === null || channels.includes(channel);
  const exclusions = noted && { ...noted, items: noted.items.filter(concerned) };
  const calibrations = needs('calibration')
    ? await questions.list<CalibrationAnswer>('/{unit_id}/calibrations', unitId, {})
    : undefined;
  const weather = needs('weather') ? await gatherWeather(questions, unitId, { ...span, zone }) : undefined;
  const fingerprint = await fingerprintForReports(host.evidence, host.log);
  const answers = { indices, assessment: judgement, levels, events, exclusions, calibrations, weather };
  return { config, wish, ...answers, asked: questions.asked, fingerprint };
}
