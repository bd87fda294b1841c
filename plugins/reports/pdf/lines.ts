/** Where a text may go on in the next line: behind spaces, behind some signs between letters, and between characters of Chinese and Japanese. */

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u;
/** They do not begin a line (JIS X 4051). */
const CLOSING = /[、。，．・：；？！）」』】〕〉》”’ー々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ)\].,:;!?%]/u;
/** They do not end one. */
const OPENING = /[（「『【〔〈《“‘([]/u;
/** Behind them, before a letter: a number or a date stays whole. */
const SIGNS = /[-\u2013\u2014/?&]/u;
const LETTER = /\p{L}/u;

/** Pieces that stay together; each ends with the spaces behind it. */
export function wholePieces(text: string): readonly string[] {
  const pieces: string[] = [];
  let [piece, before] = ['', ''];
  for (const one of text) {
    if (piece !== '' && mayBreak(before, one)) {
      pieces.push(piece);
      piece = '';
    }
    piece += one;
    before = one;
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}

function mayBreak(before: string, after: string): boolean {
  if (after === ' ') return false;
  if (before === ' ') return true;
  if (SIGNS.test(before) && LETTER.test(after)) return true;
  return (WIDE.test(before) || WIDE.test(after)) && !CLOSING.test(after) && !OPENING.test(before);
}

/** The lines of a text in this width; a piece that is wider than a line is broken at any character. */
export function brokenLines(text: string, width: number, widthOf: (text: string) => number): readonly string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let [line, used] = ['', 0];
    const end = () => {
      lines.push(line.trimEnd());
      [line, used] = ['', 0];
    };
    for (const piece of wholePieces(paragraph)) {
      const bare = widthOf(piece.trimEnd());
      if (line !== '' && used + bare > width) end();
      if (bare > width) {
        for (const one of piece) {
          const more = widthOf(one);
          if (line !== '' && one !== ' ' && used + more > width) end();
          line += one;
          used += more;
        }
        continue;
      }
      line += piece;
      used += widthOf(piece);
    }
    end();
  }
  return lines;
}

/** As many lines as there is room for; the last one says with `…` that there were more. */
export function cutLines(
  lines: readonly string[],
  most: number,
  width: number,
  widthOf: (text: string) => number,
): readonly string[] {
  if (lines.length <= most) return lines;
  const [...characters] = lines[most - 1] ?? '';
  while (characters.length > 0 && widthOf(`${characters.join('')}…`) > width) characters.pop();
  return [...lines.slice(0, most - 1), `${characters.join('')}…`];
}
