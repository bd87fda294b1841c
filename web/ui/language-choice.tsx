/** The choice of the language, each by its own name. The browser keeps it; the page is loaded again, because its words stand everywhere. */
import { KEPT_AS, language } from '../words/language.ts';
import { LANGUAGES } from '../words/languages.ts';
import { say } from '../words/say.ts';

/** For everybody, also before signing in. */
export function LanguageChoice() {
  const choose = (code: string) => {
    localStorage.setItem(KEPT_AS, code);
    location.reload();
  };
  return (
    <select
      class="language"
      aria-label={say('Language')}
      value={language}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      {Object.entries(LANGUAGES).map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  );
}
