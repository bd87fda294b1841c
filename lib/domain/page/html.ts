/** HTML in which every value is escaped: a name of a unit is text and never markup. */

/** Markup that was made by `html`. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | null | undefined | Markup | readonly Value[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** As text, also inside a quoted attribute. Characters that XML does not know are shown as U+FFFD. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are meant
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

function rendered(value: Value): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(rendered).join('');
  return escaped(String(value));
}

/** A style sheet of our own, as it is: it must hold nothing that a caller has sent. */
export const style = (sheet: string): Markup => new Markup(`<style>${sheet}</style>`);

/** A script of our own, as it is: as for `style`. */
export const script = (text: string): Markup => new Markup(`<script>${text}</script>`);

/** A tagged template: values between the parts are escaped, unless `html` made them. */
export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Markup =>
  new Markup(parts.reduce((all, part, index) => all + rendered(values[index - 1]) + part));
