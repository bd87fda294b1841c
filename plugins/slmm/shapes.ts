/** Common parts of answers in the format of SLMM: times without zone, levels as text, errors. */
import { type GatewayError, tables, type WordError } from '../../lib/index.ts';

/** ISO, UTC, without zone, with six digits of fraction or none. Null stays null. */
export function slmmTime(at: number | string | null | undefined): string | null {
  if (at === null || at === undefined) return null;
  const text = new Date(at).toISOString().slice(0, -1);
  return text.endsWith('.000') ? text.slice(0, -4) : `${text}000`;
}

/** dB with one decimal, as text; null: no value. */
export const slmmLevel = (level: number | null | undefined): string | null =>
  level === null || level === undefined ? null : tables.levelText(level);

/** In SLMM every wrong input is 422, with a list of places. */
const INPUT = ['INVALID', 'MALFORMED_JSON', 'NOT_JSON'];

/** `detail` is a text, and for wrong input a list. The value itself is never repeated: it may be a password. */
export const wordError: WordError = (error) =>
  INPUT.includes(error.code) ? { status: 422, body: { detail: placesOf(error) } } : plain(error);

/** For the few cases in which SLMM answers wrong input with 400 and a text: errors of the handler itself. */
export const wordRefusal: WordError = (error) => {
  if (error.code === 'INVALID' && !error.errors) return { status: 400, body: { detail: error.message } };
  return error.code.startsWith('DEVICE_REFUSED') || error.code === 'DEVICE_WRONG_STATE'
    ? { status: 400, body: { detail: error.message } }
    : wordError(error);
};

const plain = ({ status, message }: GatewayError) => ({ status, body: { detail: message } });

function placesOf({ code, message, errors = [{ path: '', message }] }: GatewayError): object[] {
  return errors.map((one) => ({
    type: code === 'MALFORMED_JSON' ? 'json_invalid' : one.message === 'is required' ? 'missing' : 'value_error',
    loc: ['body', ...one.path.split('/').slice(1)],
    msg: one.message,
    input: null,
  }));
}
