/** The fields of a device config: each once, with column, schema and default. */
import { CHANNEL_PATTERN, MAIN_CHANNEL } from '../ids.ts';
import { type Field, type FieldSchema, field, freshRecord, PLAIN_TEXT, type RecordOf } from './field.ts';

const NO_CONTROLS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
const CREDENTIAL = field<string | null>({
  column: 'text',
  nullable: true,
  kept: 'secret',
  removable: true,
  fresh: null,
  schema: {
    type: 'string',
    maxLength: 128,
    pattern: NO_CONTROLS,
    description:
      'text without control characters; the empty string removes it. Encrypted at rest, never part of an answer',
  },
});

/** A value that may be missing, and that the empty string removes. */
const removable = <Value>(column: Field['column'], schema: FieldSchema) =>
  field<Value | null>({ column, nullable: true, removable: true, fresh: null, schema });

const text = (maxLength: number, description: string) =>
  removable<string>('text', { type: 'string', maxLength, pattern: PLAIN_TEXT, description });

const degrees = (limit: number, description: string) =>
  removable<number>('real', { type: 'number', minimum: -limit, maximum: limit, description });

const lastDay = (description: string) => removable<string>('text', { type: 'string', format: 'date', description });

const yesOrNo = (fresh: boolean, description: string) =>
  field<boolean>({ column: 'boolean', fresh, schema: { type: 'boolean', description } });

const whole = (fresh: number, limits: FieldSchema, description: string) =>
  field<number>({ column: 'integer', fresh, schema: { type: 'integer', ...limits, description } });

const port = (fresh: number, description: string) => whole(fresh, { minimum: 1, maximum: 65_535 }, description);

const real = (fresh: number, limits: FieldSchema, description: string) =>
  field<number>({ column: 'real', fresh, schema: { type: 'number', ...limits, description } });

const MIRROR_FIELDS = {
  enabled: yesOrNo(false, 'Whether new files are fetched automatically.'),
  every: field<string>({
    column: 'text',
    fresh: '6h',
    schema: {
      type: 'string',
      pattern: '^([1-9][0-9]{1,3}m|[1-9][0-9]{0,2}h|[1-9][0-9]?d)$',
      description: 'a time between two looks, such as 30m (at least 10m), 6h or 1d',
    },
  }),
  paths: field<readonly string[]>({
    column: 'json',
    fresh: Object.freeze(['/NL-43']),
    schema: {
      type: 'array',
      minItems: 1,
      maxItems: 16,
      uniqueItems: true,
      description: 'Folders on the card, with all that is in them.',
      items: {
        type: 'string',
        maxLength: 1_024,
        pattern: '^/(?!(?:.*/)?\\.\\.(?:/|$))[^\\u0000-\\u001f\\u007f-\\u009f]*$',
        description: 'an absolute path on the card of the meter, without `..` and control characters',
      },
    },
  }),
  maxGb: real(10, { exclusiveMinimum: 0, maximum: 100_000 }, 'Largest size of the copies in the gateway.'),
  maxMbPerDay: real(0, { minimum: 0, maximum: 10_000_000 }, 'Most that is fetched in a local day; 0: no limit.'),
  keepReplacedDays: whole(
    0,
    { minimum: 0, maximum: 36_500 },
    'How long a copy stays after other bytes came under its path; 0: for ever.',
  ),
  parse: yesOrNo(true, 'Whether .rnd files become history.'),
} as const;
export type MirrorConfig = RecordOf<typeof MIRROR_FIELDS>;

/** All fields but `unitId`, in the order of the API. */
export const CONFIG_FIELDS = {
  /** A family of `lib/drivers/index.ts`. */
  family: field<string>({
    column: 'text',
    fresh: 'nl43',
    older: 'nl43',
    schema: {
      type: 'string',
      maxLength: 32,
      description: 'Family of the meter: it decides its abilities and its protocol.',
    },
  }),
  host: field<string>({
    column: 'text',
    fresh: '',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 253,
      description: 'Host name, IPv4 or IPv6 address. Required to create. No scheme, port or path.',
    },
  }),
  tcpPort: port(2255, 'Control port of the meter.'),
  tcpEnabled: yesOrNo(true, 'Whether commands may be sent.'),
  ftpEnabled: yesOrNo(false, 'Whether files may be listed and downloaded.'),
  webEnabled: yesOrNo(false, 'Kept for the client; the gateway makes no use of it.'),
  ftpPort: port(21, 'FTP port of the meter.'),
  ftpMode: field<'active' | 'passive'>({
    column: 'text',
    fresh: 'active',
    schema: {
      type: 'string',
      enum: ['active', 'passive'],
      description: 'active: the meter connects back, the only mode a real one has.',
    },
  }),
  /** Encrypted at rest; never part of an answer or a log line. */
  ftpUsername: CREDENTIAL,
  ftpPassword: CREDENTIAL,
  pollEnabled: field<boolean>({
    column: 'boolean',
    fresh: true,
    older: false,
    schema: { type: 'boolean', description: 'Whether the meter is read in the background.' },
  }),
  pollIntervalSeconds: field<number>({
    column: 'integer',
    fresh: 60,
    older: 60,
    schema: { type: 'integer', minimum: 1, maximum: 21_600, description: 'Time between two background readings.' },
  }),
  name: text(80, 'Name for people, without control characters.'),
  place: text(200, 'Place of the meter, in words without control characters.'),
  /** WGS 84, degrees. */
  latitude: degrees(90, 'Degrees, WGS 84, north is positive.'),
  longitude: degrees(180, 'Degrees, WGS 84, east is positive.'),
  /** IANA name. A new unit takes over the setting `timezone`; a later change of that setting does not move a unit. */
  timezone: field<string>({
    column: 'text',
    nullable: true,
    removable: true,
    fresh: 'UTC',
    schema: {
      type: 'string',
      maxLength: 64,
      description: 'Time zone of the place, an IANA name such as Europe/Berlin. Default: the setting timezone.',
    },
  }),
  tags: field<readonly string[]>({
    column: 'json',
    nullable: true,
    fresh: Object.freeze([]),
    schema: {
      type: 'array',
      maxItems: 16,
      uniqueItems: true,
      description: 'Words to find and group units by.',
      items: {
        type: 'string',
        maxLength: 40,
        // Not a pattern: `\\p{L}` is refused by programs that read the OpenAPI document without the flag `u`.
        format: 'tag',
        description: 'a word of letters, digits, `.`, `_`, `:` and `-`',
      },
    },
  }),
  verifiedUntil: lastDay('Last day of the legal verification of the meter, such as 2027-12-31.'),
  simValidUntil: lastDay('Last day of the SIM card of its modem, such as 2027-12-31.'),
  history: field<'off' | 'poll' | 'stream'>({
    column: 'text',
    fresh: 'poll',
    older: 'off',
    schema: {
      type: 'string',
      enum: ['off', 'poll', 'stream'],
      description: 'Recorded levels: none, the background readings, or the fast stream.',
    },
  }),
  historyChannels: field<readonly string[]>({
    column: 'json',
    nullable: true,
    fresh: Object.freeze([MAIN_CHANNEL]),
    schema: {
      type: 'array',
      minItems: 1,
      maxItems: 8,
      uniqueItems: true,
      description: 'Which channels are kept: main, and others that the meter gives (capabilities). Default main.',
      items: { type: 'string', pattern: CHANNEL_PATTERN, description: 'a channel of the meter, such as main or sub1' },
    },
  }),
  mirror: field<MirrorConfig>({
    column: 'json',
    nullable: true,
    fresh: freshRecord(MIRROR_FIELDS),
    parts: MIRROR_FIELDS,
    schema: { type: 'object', description: 'Copies of the files of the card.' },
  }),
} as const;

export const newConfig = (timezone: string): RecordOf<typeof CONFIG_FIELDS> =>
  Object.freeze({ ...freshRecord(CONFIG_FIELDS), timezone });

/** Another address or another family means another meter. */
export const METER_FIELDS = ['host', 'tcpPort', 'family'] as const satisfies readonly (keyof typeof CONFIG_FIELDS)[];
