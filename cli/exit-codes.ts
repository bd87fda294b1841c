/** How `slm` ends, for scripts. docs/cli.md has the same table; a test compares them. */
import { GatewayProblem } from '../client/index.ts';
import { WrongWords } from './contract.ts';

export const EXIT = Object.freeze({
  done: 0,
  failed: 1,
  wrongWords: 2,
  noGateway: 3,
  notAllowed: 4,
  notFound: 5,
  noMeter: 6,
  meterRefused: 7,
  problemFound: 8,
  interrupted: 130,
});

export const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failed: 'it failed; the line on standard error says why',
  wrongWords: 'the command line is wrong, or a value that the gateway refuses as not valid',
  noGateway: 'no gateway answers at this address',
  notAllowed: 'the API key is missing, not valid, or does not have the needed rights',
  notFound: 'there is no such unit, file or other thing',
  noMeter: 'the meter does not answer, or not in time',
  meterRefused: 'the meter refused: not in its present state, or not this value; or its family cannot do this',
  problemFound: 'doctor found something that is wrong',
  interrupted: 'ended by Ctrl-C',
};

const NO_METER = [
  'DEVICE_UNREACHABLE',
  'DEVICE_WEDGED',
  'DEVICE_TIMEOUT',
  'DEVICE_BUSY',
  'DEVICE_GARBLED',
  'QUEUE_TIMEOUT',
];
const REFUSED = ['NOT_SUPPORTED', 'DEVICE_WRONG_STATE', 'DEVICE_REFUSED_PARAMETER', 'DEVICE_REFUSED_COMMAND'];

export function exitCodeOf(error: unknown): number {
  if (error instanceof WrongWords) return EXIT.wrongWords;
  if (!(error instanceof GatewayProblem)) return EXIT.failed;
  const { code, status } = error;
  if (code === 'INVALID') return EXIT.wrongWords;
  if (code === 'NO_GATEWAY' || code === 'NO_PROBLEM_FORMAT') return EXIT.noGateway;
  if (NO_METER.includes(code)) return EXIT.noMeter;
  if (REFUSED.includes(code)) return EXIT.meterRefused;
  if (code === 'UNAUTHENTICATED' || code === 'FORBIDDEN') return EXIT.notAllowed;
  return status === 404 ? EXIT.notFound : EXIT.failed;
}
