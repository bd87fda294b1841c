/** The structured log, one JSON object a line on standard error. Secrets are masked here and nowhere else. */
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'child'>;

const SECRETS = [
  'ftp_username',
  'ftp_password',
  'ftpUsername',
  'ftpPassword',
  'password',
  'secret_key',
  'authorization',
];
const PATHS = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

export const createLog = (level: string, destination: DestinationStream = process.stderr): Log =>
  pino({ level, base: null, redact: { paths: PATHS, censor: '***' } }, destination);
