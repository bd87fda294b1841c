/** What GET report takes. Data only. */
import { indices, type Schema, SPAN, ZONE } from '../../lib/index.ts';

export interface ReportQuery {
  readonly from: string;
  readonly to: string;
  readonly zone?: string;
  readonly preset: keyof typeof indices.PRESETS;
  readonly lang: 'en';
  readonly limit_db?: number;
  readonly limit_step: '5m' | '15m' | '30m' | '1h' | '1d';
}

export const REPORT_QUERY: Readonly<Record<string, Schema>> = {
  ...SPAN,
  zone: ZONE,
  preset: {
    type: 'string',
    enum: Object.keys(indices.PRESETS),
    default: 'eu',
    description: 'Periods of the day, as in GET indices.',
  },
  lang: { type: 'string', enum: ['en'], default: 'en' },
  limit_db: {
    type: 'number',
    minimum: 0,
    maximum: 200,
    description: 'List the intervals whose Leq is above this, dB.',
  },
  limit_step: {
    type: 'string',
    enum: ['5m', '15m', '30m', '1h', '1d'],
    default: '1h',
    description: 'Length of these intervals.',
  },
};
