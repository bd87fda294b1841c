/** The language of this page. One place decides it, and with it how numbers and dates are written. */
import { languageFor, localesFor } from './languages.ts';

/** Under which this browser keeps the choice. */
export const KEPT_AS = 'language';

function chosenLanguage(): string | null {
  try {
    return localStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}

const chosen = chosenLanguage();
/** The language of the page. Another one needs the page to be loaded again. */
export const language = languageFor(chosen, navigator.languages);
/** For all that `Intl` writes on the page. */
export const LOCALES = [...localesFor(language, chosen, navigator.languages)];
