/**
 * Reads an exchange with the codec of the gateway and with facts that may be falsified. Returns why the exchange contradicts
 * the facts, or nothing. The grammar of a command line comes from the sheet, not from the code under test.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  type ChannelNames,
  type DisplayChannel,
  decodeDisplay,
  decodeFrame,
  type Layout,
} from '../../lib/drivers/nl43/decode.ts';
import { request, setting } from '../../lib/drivers/nl43/encode.ts';
import { CHANNELS, DLC, DOD, DRD } from '../../lib/drivers/nl43/spec/layouts.ts';
import { type Dialect, decodeValue, factOf, NL43_DIALECT } from '../../lib/drivers/nl43/values.ts';
import type { FrameChannel } from '../../lib/drivers/wire/contract.ts';
import type { Exchange } from './exchanges.ts';

export interface Facts {
  readonly dialect: Dialect;
  readonly dod: Layout<keyof DisplayChannel>;
  readonly dlc: Layout<keyof DisplayChannel>;
  readonly drd: Layout<keyof FrameChannel>;
  readonly channels: ChannelNames;
}

export const FACTS: Facts = { dialect: NL43_DIALECT, dod: DOD, dlc: DLC, drd: DRD, channels: CHANNELS };

export function contradiction(exchange: Exchange, facts: Facts): string | undefined {
  if (['R+0001', 'R+0002', 'R+0003'].includes(exchange.result)) return makes(exchange, facts);
  try {
    const text = encode(exchange, facts);
    if (`${text}\r\n` !== exchange.sent) return `${JSON.stringify(text)} was made instead`;
    if (exchange.data === undefined) return undefined;
    const meaning = comparable(byName(decode(exchange, exchange.data, facts)));
    return isDeepStrictEqual(meaning, exchange.meaning) ? undefined : `decoded to ${JSON.stringify(meaning)}`;
  } catch (error) {
    return String(error);
  }
}

/** A text that a real meter refused for what it says must not be something that the gateway can make. */
function makes(exchange: Exchange, facts: Facts): string | undefined {
  try {
    return `${encode(exchange, facts)} can be made, and a meter refused it`;
  } catch {
    return undefined;
  }
}

function encode({ sent }: Exchange, { dialect }: Facts): string {
  const line = sent.replace('\r\n', '');
  if (line.endsWith('?')) return request(line.slice(0, -1), dialect);
  const comma = line.indexOf(',');
  return comma < 0 ? setting(line, undefined, dialect) : setting(line.slice(0, comma), line.slice(comma + 1), dialect);
}

function decode({ sent }: Exchange, data: string, facts: Facts): unknown {
  if (sent === 'DOD?\r\n') return decodeDisplay(data, facts.dod, facts.channels);
  if (sent === 'DLC?\r\n') return decodeDisplay(data, facts.dlc, facts.channels);
  if (sent === 'DRD?\r\n') return decodeFrame(data, facts.drd, facts.channels);
  return decodeValue(factOf(sent.slice(0, sent.indexOf('?')), facts.dialect), data);
}

function byName(decoded: unknown): unknown {
  if (typeof decoded !== 'object' || decoded === null || !('others' in decoded)) return decoded;
  const { others, ...named }: Record<string, unknown> = { ...decoded };
  const { sub1, sub2, sub3 } = named;
  return isDeepStrictEqual(others, [sub1, sub2, sub3]) ? named : decoded;
}

/** Levels as numbers, as the transcripts write them. */
function comparable(value: unknown, key = ''): unknown {
  if (typeof value === 'string' && key !== '') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, comparable(inner, name)]));
}
