/** The frame of a page in one piece: it loads nothing from elsewhere. */
import { html, type Markup, style } from './html.ts';

/** Parts of a page. */
export interface WholePage {
  /** BCP 47: `en`. */
  readonly language: string;
  readonly title: string;
  /** The text of its style element, from the gateway only. */
  readonly sheet: string;
  /** Search engines are asked to ignore the page. */
  readonly isUnlisted?: boolean;
  /** Content of `main`. */
  readonly content: Markup;
}

/** As text, to be sent with `pagePolicy`. */
export const wholePage = ({ language, title, sheet, isUnlisted = false, content }: WholePage): string =>
  html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${isUnlisted ? UNLISTED : null}${style(sheet)}
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`.text;

const UNLISTED = html`<meta name="robots" content="noindex, nofollow">
`;
