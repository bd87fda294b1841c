/** Reads what a report of one unit needs, and no more. */
import { type DeviceConfig, fingerprintForReports, type Host, type Language, type Request } from '../../lib/index.ts';
import {
  type AskedQuery,
  type AssessmentAnswer,
  type CalibrationAnswer,
  type EventAnswer,
  type IndicesAnswer,
  type LevelsAnswer,
  type NoteAnswer,
  Questions,
} from './answers.ts';
import type { SectionName } from './document.ts';
import { type GatheredWeather, gatherWeather } from './gather-weather.ts';

/** What a report is about, checked. */
export interface ReportWish {
  /** RFC 3339. */
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  readonly lang: Language;
  /** Of GET indices. */
  readonly periods: string;
  /** Of GET assessment; `area`, `calendar` and `limits` only where somebody gave them. */
  readonly judged: Readonly<{ preset: string; area?: string; calendar?: string; limits?: string }>;
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

/** Errors: those of the routes that are asked, with their paths. */
export async function gatherUnit(
  host: Pick<Host, 'ask' | 'configs' | 'evidence' | 'log'>,
  request: Request,
  unitId: string,
  wish: ReportWish,
): Promise<Gathered> {
  const questions = new Questions(host, request);
  const { from, to, zone, sections } = wish;
  const span = { from, to };
  const needs = (...names: readonly SectionName[]) => names.some((name) => sections.includes(name));
  const about = <Answer>(path: string, query: object) =>
    questions.data<Answer>(`/{unit_id}/${path}`, unitId, { ...span, zone, ...query });
  const indices = await about<IndicesAnswer>('indices', { preset: wish.periods, exclusions: 'apply' });
  const assessment = needs('summary', 'limits')
    ? await about<AssessmentAnswer>('assessment', { ...wish.judged, exclusions: 'apply' })
    : undefined;
  const levels = needs('charts')
    ? await about<LevelsAnswer>('history', { step: 'auto', quantities: 'leq,lmax', exclusions: 'apply' })
    : undefined;
  const events = needs('events')
    ? await questions.list<EventAnswer>('/_alerts/events', unitId, { unit: unitId, ...span })
    : undefined;
  const exclusions = needs('exclusions', 'weather')
    ? await questions.list<NoteAnswer>('/{unit_id}/notes', unitId, { kind: 'exclusion', ...span })
    : undefined;
  const calibrations = needs('calibration')
    ? await questions.list<CalibrationAnswer>('/{unit_id}/calibrations', unitId, {})
    : undefined;
  const weather = needs('weather') ? await gatherWeather(questions, unitId, { ...span, zone }) : undefined;
  const config = host.configs.of(unitId);
  const fingerprint = await fingerprintForReports(host.evidence, host.log);
  const answers = { indices, assessment, levels, events, exclusions, calibrations, weather };
  return { config, wish, ...answers, asked: questions.asked, fingerprint };
}
