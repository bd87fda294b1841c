/** Templates and letterheads are chosen in other forms of the same page: those ask again when one was written. */
import { signal } from '@preact/signals';

/** Counts changes. */
export const formsChanged = signal(0);
