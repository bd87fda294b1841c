/** The files of a meter: those on its card and the copies on the gateway. */
import type { Unit } from '../../client/index.ts';
import { CardFiles } from './card-files.tsx';
import { KeptFiles } from './kept-files.tsx';
import { Reconciliation } from './reconciliation.tsx';

/** The page of files of a meter. */
export function FilesPage({ unit }: { readonly unit: Unit }) {
  return (
    <>
      <div class="columns">
        <CardFiles unit={unit} />
        <KeptFiles unit={unit} />
      </div>
      <Reconciliation unit={unit} />
    </>
  );
}
