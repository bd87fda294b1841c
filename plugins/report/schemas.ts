/** What GET report takes. Data only. */
import {
  ASKED_CHANNEL,
  type AskedExclusions,
  exclusionsSchema,
  indices,
  type Schema,
  SPAN,
  ZONE,
} from '../../lib/index.ts';

/** The query of GET report. */
export interface ReportQuery extends AskedExclusions {
  readonly from: string;
  readonly to: string;
  readonly zone?: string;
  readonly channel?: string;
  readonly preset: keyof typeof indices.PRESETS;
  readonly lang: 'en';
  readonly title?: string;
  readonly remarks?: string;
  readonly limit_db?: number;
  readonly limit_step: '5m' | '15m' | '30m' | '1h' | '1d';
  readonly dated: boolean;
}

/** Its schema. */
export const REPORT_QUERY: Readonly<Record<string, Schema>> = {
  ...SPAN,
  zone: ZONE,
  channel: ASKED_CHANNEL,
  preset: {
    type: 'string',
    enum: Object.keys(indices.PRESETS),
    default: 'eu',
    description: 'Periods of the day, as in GET indices.',
  },
  exclusions: exclusionsSchema('apply'),
  lang: { type: 'string', enum: ['en'], default: 'en' },
  title: { type: 'string', maxLength: 200, description: 'Default: Noise report, and the name of the unit.' },
  remarks: {
    type: 'string',
    maxLength: 2_000,
    description:
      'What the gateway does not know: client, calibration before and after, weather, who measured. Lines stay lines.',
  },
  limit_db: {
    type: 'number',
    minimum: 0,
    maximum: 200,
    description:
      'List the intervals whose Leq is above this as it is shown, with one decimal: 75.04 dB is not above 75. dB.',
  },
  limit_step: {
    type: 'string',
    enum: ['5m', '15m', '30m', '1h', '1d'],
    default: '1h',
    description: 'Length of these intervals.',
  },
  dated: {
    type: 'boolean',
    default: true,
    description:
      'false: without the time of writing and the state of the clock of the meter at that time, so that the same data gives the same page.',
  },
};
