/** The profiles that the gateway has. */
import type { Profile } from '../../client/index.ts';
import { client } from '../app/access.ts';
import { changes } from '../app/fleet.ts';
import { useFound } from '../app/found.ts';

/** Undefined until the answer comes, and if the gateway runs without campaigns. */
export function useProfiles(): { readonly profiles: readonly Profile[] | undefined; again(): void } {
  const { found: profiles, again } = useFound(() => client.value.profiles(), [changes.value.job]);
  return { profiles, again };
}
