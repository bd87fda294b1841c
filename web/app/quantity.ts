/** Levels as the pages name them: the table of quantities comes with the client. */
import { quantities } from '../../client/index.ts';

/** The weightings that belong to the names of levels. */
export type Weightings = quantities.SymbolWeightings;

/** The name of a level, with its weightings if they are known. `LAeq`, `LAFmax`; without them `Leq`. */
export const nameOf = quantities.symbolOf;
/** Of a percentile that the meter shows in one of its places: `LAF5`. */
export const percentileOf = (percent: number, weightings: Weightings): string =>
  quantities.symbolOf('ln1', weightings, [percent]);

/** Tiles of the live page, beside the level of this moment. */
export const MEASURED = quantities.quantitiesIn('dashboard');
