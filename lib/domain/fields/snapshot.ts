/** The fields of a snapshot, the last values of one meter: each once, with column, schema and the field of its time. */
import { levelsBy, OPTIONAL, QUANTITIES, quantitiesIn, type StatusQuantity } from '../quantities.ts';
import { type Field, type FieldSchema, field, TIME } from './field.ts';

/** `at`: the field with the time of this measurement. */
interface SnapshotField<Value> extends Field<Value> {
  readonly at?: string;
}

const value = <Value>(
  column: Field['column'],
  schema: FieldSchema,
  at: string | undefined,
  more: Pick<Field, 'kept' | 'shownAs' | 'within'> = {},
): SnapshotField<Value | null> => ({
  ...field<Value | null>({ column, nullable: true, fresh: null, schema, ...more }),
  ...(at && { at }),
});

/** Levels with a column of their own, from the first releases. Every other level is in `levels`. */
const IN_COLUMNS: readonly StatusQuantity[] = [
  ...(['lp', 'leq', 'lmax', 'lmin', 'lpeak', 'le'] as const),
  ...(['ln1', 'ln2', 'ln3', 'ln4', 'ln5'] as const),
];

/** The text of the meter, trimmed; null where the meter gave no value. */
const level = (name: StatusQuantity) =>
  value<string>(
    'text',
    {
      type: 'string',
      description: OPTIONAL.includes(name)
        ? 'dB, one decimal. Absent where the meter does not send it.'
        : 'dB, one decimal, as the meter wrote it; null: no value.',
    },
    QUANTITIES[name].age,
    IN_COLUMNS.includes(name) ? {} : { within: 'levels' },
  );
const numeric = (at: string, description?: string) =>
  value<string>('text', { type: 'string', pattern: '^\\d+(\\.\\d+)?$', ...(description && { description }) }, at);
const flag = (at: string) => value<boolean>('boolean', { type: 'boolean' }, at);
/** Ms since 1970 UTC; null: never, or unknown. */
const time = (more: Pick<Field, 'kept' | 'shownAs'> = {}, description?: string) =>
  value<number>('integer', { ...TIME, ...(description && { description }) }, undefined, more);

/** Serial number and address of the meter that answered last. */
export interface KnownMeter {
  readonly serialNumber: string;
  readonly endpoint: string;
}

export const SNAPSHOT_FIELDS = {
  measurementState: value<'Measure' | 'Stop'>('text', { type: 'string', enum: ['Measure', 'Stop'] }, 'stateAt'),
  ...levelsBy(quantitiesIn('status'), level),
  overRange: flag('levelsAt'),
  underRange: flag('levelsAt'),
  batteryLevel: numeric('batteryAt', 'Per cent. Read at most once a minute, like the four below.'),
  batteryState: value<string>(
    'text',
    { type: 'string', description: 'The word of the meter for battery_level.' },
    'batteryAt',
  ),
  powerSource: value<'Battery' | 'External' | 'USB'>(
    'text',
    { type: 'string', enum: ['Battery', 'External', 'USB'] },
    'powerAt',
  ),
  sdRemainingMb: numeric('cardAt'),
  sdFreeRatio: numeric('cardAt', 'Per cent of the card that is free.'),
  /** Time of the levels with over and under range: of all levels but Lp, which the fast stream also has. */
  levelsAt: time(
    { shownAs: 'measured_at' },
    'When the levels were measured; lp may be younger: the stream has it, too.',
  ),
  lpAt: time(),
  stateAt: time(),
  batteryAt: time(),
  powerAt: time(),
  cardAt: time({ shownAs: 'sd_at' }),
  /** Start of the present measurement; null if none runs, or if the start is unknown. */
  measurementStartTime: time({ kept: 'hidden' }),
  measurementStartSource: value<'sent' | 'computed' | 'seen'>(
    'text',
    { type: 'string', enum: ['sent', 'computed', 'seen'] },
    undefined,
    { kept: 'hidden' },
  ),
  /** When the meter last gave a value. */
  lastSeen: time({ kept: 'hidden' }),
  /** Since when the levels are constant although the meter measures; null while they change or it does not measure. */
  unchangedSince: time({ kept: 'hidden' }),
  /** Kept over a restart, so that another meter at the same address is noticed. */
  meter: value<KnownMeter>('json', {}, undefined, { kept: 'hidden' }),
} as const;
