/** Which picture is the plan. It does not belong to the first view, unless the address asks for the plan. */
import { useEffect, useState } from 'preact/hooks';
import type { schemas } from '../../client/index.ts';
import { client } from '../state/access.ts';
import { useFound } from '../state/found.ts';

/** After the first view there is time, ms. */
const LATER_MS = 3_000;

/** Undefined until the gateway has said it; `atOnce`: the plan is shown. */
export function usePlan(atOnce: boolean): schemas.Plan | undefined {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), LATER_MS);
    return () => clearTimeout(timer);
  }, []);
  const isAsked = atOnce || isDue;
  const ask = async () => (isAsked ? await client.value.call<schemas.GetPlanAnswer>('/_plan') : undefined);
  return useFound(ask, [isAsked]).found?.data;
}
