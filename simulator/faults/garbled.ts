/** Lines that cannot be read, or worse: that can, and mean something else. */
import { defineFault } from './define.ts';
import { mapText, textOf } from './emissions.ts';
import { amount, choice } from './settings.ts';

export const garbled = defineFault({
  name: 'garbled',
  summary: 'Lines are spoilt: by noise, or by the bytes of the reply before. Line ends and the prompt stay.',
  works: 'by reply',
  settings: {
    by: choice(
      ['noise', 'mixture'],
      'wrong bytes here and there; or the second half of each line from the reply before',
    ),
    share: amount(0.1, 0, 1, 'with noise: share of the bytes that are wrong'),
  },
  evidence: ['code', 'commands sent too tightly "talk over each other"; Measure? was read as a piece of a DOD line'],
  create({ by, share }, { random }) {
    let before = '';
    const noise = (character: string) => (random() < share ? wrong(character, random()) : character);
    return {
      outgoing(emissions) {
        const stale = before;
        before = textOf(emissions);
        if (by === 'noise') return mapText(emissions, (text) => [...text].map(noise).join(''));
        return stale ? mapText(emissions, (text) => mixed(text, stale)) : emissions;
      },
    };
  },
});

const KEPT = /[\r\n$]/;

/** Any other printable byte, or one above ASCII; never a line end or a prompt. */
function wrong(character: string, x: number): string {
  if (KEPT.test(character)) return character;
  const code = 0x25 + Math.floor(x * (0x100 - 0x25));
  return String.fromCharCode(code === character.charCodeAt(0) ? 0x21 : code);
}

function mixed(text: string, stale: string): string {
  const line = text.replace(/\r\n$/, '');
  if (line.length < 2) return text;
  const half = Math.ceil(line.length / 2);
  const other = stale.replace(/[\r\n$]/g, '').slice(half, line.length);
  return line.slice(0, half) + other + text.slice(line.length);
}
