/** A refusal of the gateway in a form, at its field. */
import { pathWords } from './form-values.ts';
import { problemText } from './problem-text.ts';

/** As the gateway names them: JSON Pointers with what is wrong. */
export type Problems = readonly { readonly path: string; readonly message: string }[];

interface Props {
  readonly problems: Problems;
  /** Of the field; what is wrong below it is shown, too, unless `exact`. */
  readonly at: string;
  readonly exact?: boolean;
}

/** Nothing where nothing is wrong. */
export function Wrong({ problems, at, exact = false }: Props) {
  const own = problems.filter(({ path }) => path === at || (!exact && path.startsWith(`${at}/`)));
  return (
    <>
      {own.map(({ path, message }) => (
        <p key={path + message} class="said bad small" role="alert">
          {pathWords(path.slice(at.length))} {problemText(message)}
        </p>
      ))}
    </>
  );
}
