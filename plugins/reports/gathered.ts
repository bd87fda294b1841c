/** The subject of a report about one unit, and all that was read for it. */

import type {
  AlertEvent,
  Assessment,
  Calibration,
  Indices,
  Note,
  NoteProposal,
  ObservedRow,
  Station,
} from '../../client/schemas.ts';
import type { Language, tables } from '../../lib/built-in.ts';
import type { DeviceConfig, History, HistoryRow, Host } from '../../lib/index.ts';
import { assessment } from '../assessment/index.ts';
import type { ExcludingRow, WithNotes } from '../notes/index.ts';
import type { Permits } from '../permits/index.ts';
import type { AskedQuery, LevelsAnswer, PermitVerdicts } from './answers.ts';
import type { SectionName } from './document.ts';
import type { Identities, ReportedIdentity } from './identity.ts';

/** Parameters of GET assessment that a report takes besides the preset. */
export const JUDGED = Object.freeze(['area', 'calendar', 'limits', ...assessment.SAID] as const);
type JudgedName = (typeof JUDGED)[number];

export interface ReportWish {
  /** RFC 3339. */
  readonly from: string;
  readonly to: string;
  readonly zone: string;
  readonly lang: Language;
  readonly channel: string;
  readonly periods: string;
  /** Of GET assessment; all but `preset` only where somebody gave it. */
  readonly judged: Readonly<{ preset: string } & Partial<Record<JudgedName, string>>>;
  readonly sections: readonly SectionName[];
  /** In the place of those of the language. */
  readonly titles: Readonly<Partial<Record<SectionName, string>>>;
  readonly exclusions: 'apply' | 'ignore';
  /** Intervals whose Leq is above it are listed, dB; null: no list. */
  readonly limit: { readonly db: number; readonly step: LimitStep } | null;
  /** Of the addresses of the API: `/api/nl43`. */
  readonly basePath: string;
  /** Time after it is still to come, ms since 1970 UTC; absent: the end of the span. */
  readonly until?: number;
  /** The span ends before the end that was asked for, since the rest is still to come. */
  readonly isCut?: boolean;
  /** When it is written, in words; absent: the report says nothing that depends on it. */
  readonly written?: string;
}

interface Listed<Item> {
  readonly items: readonly Item[];
  readonly isCut: boolean;
}

/** Answers of the API about one unit. Undefined: the template does not need it. */
export interface Gathered {
  readonly config: DeviceConfig;
  readonly wish: ReportWish;
  readonly indices: Indices;
  readonly assessment: Assessment | undefined;
  /** By each permit; undefined: permits do not judge this channel. */
  readonly verdicts: readonly PermitVerdicts[] | undefined;
  readonly levels: LevelsAnswer | undefined;
  readonly events: Listed<AlertEvent> | undefined;
  readonly exclusions: Listed<Note> | undefined;
  readonly calibrations: Listed<Calibration> | undefined;
  readonly weather: GatheredWeather | undefined;
  readonly own: UnitFacts | undefined;
  readonly asked: readonly AskedQuery[];
  /** Of the key that signs packages of evidence; null: no key. */
  readonly fingerprint: string | null;
}

export interface GatheredWeather {
  readonly stations: readonly { readonly station: Station; readonly days: readonly ObservedRow[] }[];
  readonly left: number;
  /** Times that the rules of the unit would exclude, too. */
  readonly proposals: readonly NoteProposal[];
}

type LevelAnswer = Awaited<ReturnType<History['query']>>;

export type LimitStep = '5m' | '15m' | '30m' | '1h' | '1d';

/** Seconds since 1970 UTC. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

export interface UnitFacts {
  readonly identity: ReportedIdentity;
  /** Null: the clock of the meter was not compared. */
  readonly clock: { readonly offsetMs: number; readonly at: number } | null;
  readonly weighting: LevelAnswer['weighting'];
  readonly otherWeightings: LevelAnswer['otherWeightings'];
  /** Undefined: nothing was recorded. */
  readonly whole: ExcludingRow | undefined;
  readonly step: tables.StepName;
  readonly rows: readonly ExcludingRow[];
  /** Where GET history gives these rows as CSV, and the SHA-256 of that file in hexadecimal. */
  readonly rowsAddress: string;
  readonly rowsHash: string;
  /** Where rows begin that may still change, s since 1970 UTC; null: all are final. */
  readonly provisional: number | null;
  readonly limited: readonly HistoryRow[];
  readonly gaps: readonly Gap[];
}

export type FactSource = Pick<Host, 'clock' | 'configs' | 'history' | 'jobs' | 'reachability'> & {
  readonly permits: Permits;
} & WithNotes & { readonly identities: Pick<Identities, 'of'> };
