/** Fetches the words of the page's language: those of the first view before it is drawn, the others with the script of the other pages. English needs none. */
import { ROOT } from '../app/address.ts';
import { language } from './language.ts';
import { addWords } from './say.ts';

type Tables = Readonly<Record<string, readonly [first: string, rest: string]>>;
/** The files of each language, which the build (`build/words.ts`) names in the page. */
const tables: Tables = JSON.parse(document.documentElement.dataset.words ?? '{}');

async function fetchWords(part: 0 | 1): Promise<void> {
  const name = tables[language]?.[part];
  if (name === undefined) return;
  const answer = await fetch(new URL(name, ROOT));
  if (!answer.ok) throw new Error(answer.statusText);
  addWords(await answer.json());
}

/** Never rejects: a page whose words cannot be fetched is shown in English. */
export async function fetchFirstWords(): Promise<void> {
  try {
    await fetchWords(0);
    document.documentElement.lang = language;
  } catch {
    // The English words are in the script.
  }
}

/** Rejects where they cannot be fetched. */
export const fetchRestWords = (): Promise<void> => fetchWords(1);
