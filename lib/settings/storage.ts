/** Settings of stored data: place, key, retention, size. */
import { SCHEMA_PATTERN } from '../domain/database-address.ts';
import { count, type Group } from './property.ts';

/** By their names. */
export const storage = {
  data_dir: {
    type: 'string',
    title: 'Folder of the database, the API keys and the audit log',
    description: 'Created on demand; relative to the folder the gateway is started in.',
    default: 'data',
    minLength: 1,
  },
  database_url: {
    type: 'string',
    title: 'PostgreSQL to keep configs, jobs, the tables of plugins and levels in',
    description:
      'postgresql://USER:PASSWORD@HOST:5432/DATABASE. Empty: SQLite in data_dir. Only from the environment or a file. API keys, audit log, the present hour of levels and files stay in data_dir.',
    default: '',
    'x-secret': true,
  },
  database_schema: {
    type: 'string',
    title: 'Schema of the PostgreSQL that has the tables',
    description:
      'Several gateways, one for each site, can use one database with a schema each. A missing schema is created.',
    default: 'public',
    pattern: SCHEMA_PATTERN,
  },
  key_file: {
    type: 'string',
    title: 'File with the key that encrypts stored FTP credentials',
    description: 'Created on demand, readable only by its owner. Keep it out of the data folder and its backups.',
    default: '',
  },
  accept_loss: {
    type: 'boolean',
    title: 'Begin empty where a database is lost',
    description:
      'For one start: when gateway.db or history.db is gone or empty, and other files show that it was there, the start stops; with this it goes on with an empty one.',
    default: false,
  },
  audit_keep_days: {
    ...count('How long the audit log is kept', 730, 0, 36_500),
    description: 'Whole months that ended longer ago are removed; 0 keeps everything.',
    'x-unit': 'days',
    'x-live': true,
  },
  audit_max_mb: {
    ...count('Largest size of the audit log', 500, 1, 1_000_000),
    description:
      'From 90 % on the log and /health say so. Beyond it the oldest months are removed early; the present month takes no more records.',
    'x-unit': 'MB',
    'x-live': true,
  },
  history_seconds_days: {
    ...count('How long levels are kept second by second', 30, 0, 36_500),
    description: 'Older levels are kept by the minute; 0 keeps seconds as long as minutes.',
    'x-unit': 'days',
    'x-live': true,
  },
  history_minutes_days: {
    ...count('How long levels are kept minute by minute', 1_830, 0, 36_500),
    description: '0 keeps everything.',
    'x-unit': 'days',
    'x-live': true,
  },
  calibration_drift_db: {
    type: 'number',
    title: 'Drift between two calibrations from which on the levels between them are doubtful',
    description: 'Exactly this drift is still good.',
    default: 0.5,
    minimum: 0.1,
    maximum: 5,
    'x-unit': 'dB',
  },
  history_max_mb: {
    ...count('Largest size of the history', 0, 0, 100_000_000),
    description: 'At this size recording stops until something is removed; 0: limited only by the disk.',
    'x-unit': 'MB',
  },
  history_min_free_mb: {
    ...count('Space on the disk that the history leaves free', 100, 0, 100_000_000),
    description: 'Below it nothing more is recorded.',
    'x-unit': 'MB',
  },
  secret_key: {
    type: 'string',
    title: 'The key itself, instead of the key file',
    description: 'Only from the environment or a file.',
    default: '',
    'x-secret': true,
  },
} as const satisfies Group;

/** Settings of one instance among several on one database. Name of an instance, and its address for clients. */
export const instances = {
  instance_name: {
    type: 'string',
    title: 'Name of this instance among those on the same database',
    description: 'Shown to people. Without it: the name of this computer.',
    default: '',
    maxLength: 64,
  },
  instance_address: {
    type: 'string',
    title: 'Where clients reach this instance',
    description:
      'Such as http://192.0.2.10:8100. A standby sends clients there while this instance is active. Without it: the first address of this computer that the gateway listens on.',
    default: '',
    pattern: '^(https?://[A-Za-z0-9.:\\[\\]-]{1,253})?$',
  },
  sites: {
    type: 'array',
    title: 'Other gateways whose units are shown beside the own ones',
    description:
      'Each has name, address (such as http://192.0.2.20:8100) and key, an API key of a viewer there. They are read every 10 s. Only from a file.',
    default: [],
    maxItems: 100,
    items: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 64 },
        address: { type: 'string', pattern: '^https?://[A-Za-z0-9.:\\[\\]-]{1,253}$' },
        key: { type: 'string', maxLength: 200, default: '' },
      },
      required: ['name', 'address'],
      additionalProperties: false,
    },
  },
} as const satisfies Group;
