/** The files that the card of a meter should keep of a measurement. Data only. */

/** `auto`: the meter stores by itself, in a folder of its own. `nothing`: it keeps no files. */
export type StoreWish = 'auto' | 'nothing';
export const STORE_SETTING: Readonly<Record<StoreWish, { readonly store_mode: string }>> = {
  auto: { store_mode: 'Auto' },
  nothing: { store_mode: 'Manual' },
};
