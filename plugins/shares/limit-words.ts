/** A limit and whether it was exceeded, in the words of a reader. What was not measured is said, so that it does not read as kept. */
import { html, MAIN_CHANNEL, type Markup } from '../../lib/index.ts';
import type { SharedLimit } from './days.ts';
import type { Speech } from './speech.ts';

/** As many as are counted. */
const MOST_COUNTED = 1_000;
/** Below it, what was not measured is said. */
const ALL_MEASURED = 0.99;

/** An entry of a list. */
export function limitItem(limit: SharedLimit, speech: Speech): Markup {
  const { words } = speech;
  const { exceeded_now, exceeded_count, coverage, since } = limit;
  const time = speech.time(since);
  const isSilent = coverage === 0 && exceeded_count === 0;
  return html`<li>${title(limit, speech)} (${schedule(limit, speech)}). ${exceeded_now ? html`<span class="exceeded">${words.exceededNow}</span> ` : null}
${isSilent ? html`<span class="unknown">${speech.say('limitNoData', { time })}</span>` : html`<span>${speech.say(countWord(exceeded_count), { count: exceeded_count, time })}</span>`}
${!isSilent && coverage < ALL_MEASURED ? html`<span class="soft">${speech.say('coverage', { time, share: speech.percent(coverage) })}</span>` : null}</li>`;
}

function countWord(count: number): 'count0' | 'count1' | 'countN' | 'countMost' {
  if (count >= MOST_COUNTED) return 'countMost';
  return count === 0 ? 'count0' : count === 1 ? 'count1' : 'countN';
}

function title({ quantity, channel, window, limit_db }: SharedLimit, speech: Speech): string {
  const word = quantityWord(quantity, speech);
  const name = channel === MAIN_CHANNEL ? word : `${word} (${channel})`;
  const limit = speech.number(limit_db, Number.isInteger(limit_db) ? 0 : 1);
  if (quantity === 'lmax') return speech.say('limitMax', { quantity: name, limit });
  return speech.say('limitOf', { quantity: name, window: windowWord(window, speech), limit });
}

function quantityWord(quantity: string, { words, say }: Speech): string {
  if (quantity === 'leq') return words.leq;
  if (quantity === 'lmax') return words.lmax;
  const percent = /^l([0-9]{1,2})$/.exec(quantity)?.[1];
  return percent === undefined ? say('other', { name: quantity }) : say('ln', { percent });
}

function windowWord(window: string, { words, say }: Speech): string {
  if (window === 'day' || window === 'evening' || window === 'night' || window === 'scheduled')
    return words[`window_${window}`];
  const [, count = window, unit] = /^(\d+)([smh])$/.exec(window) ?? [];
  return say(unit === 'h' ? 'h' : unit === 's' ? 's' : 'min', { count });
}

function schedule({ schedule: times }: SharedLimit, speech: Speech): string {
  if (times.length === 0) return speech.words.always;
  return times.map(({ days, from, to }) => `${speech.weekdays(days)} ${from}–${to}`).join('; ');
}
