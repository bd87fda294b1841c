/**
 * The page that is shown, and its channel. Every page has an address; all of them are relative, so that a proxy may put a
 * prefix before them.
 */
import { computed, signal } from '@preact/signals';
import type { Query } from '../../client/index.ts';
import { METER_PAGES, PAGES } from '../pages.ts';

/** A page that is not of one meter. */
export type OwnPage = (typeof PAGES)[number];
export type MeterPart = (typeof METER_PAGES)[number];
/** Which page an address names; `nowhere` is none. */
type Page =
  | OwnPage
  | { readonly name: 'meter'; readonly unitId: string; readonly part: MeterPart }
  | { readonly name: 'event'; readonly id: string }
  | { readonly name: 'nowhere' };

/** The address of the dashboard, with a slash at the end. The address of the page changes while this stays, so it is noted once. */
export const ROOT = new URL(document.baseURI);
const base = document.querySelector('base');
if (base) base.href = ROOT.href;
const apiBase = document.querySelector('meta[name="api-base"]')?.getAttribute('content') ?? '';
export const BASE_URL = new URL(apiBase, ROOT);
/** The address of an answer of the API, for a link: `/roof/report`, below the base path. */
export function apiAddress(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
  const words = new URLSearchParams(given).toString();
  return `${BASE_URL.href.replace(/\/$/, '')}${path}${words === '' ? '' : `?${words}`}`;
}

const here = signal(location.href);
addEventListener('popstate', () => {
  here.value = location.href;
});

export const page = computed(() => pageOf(new URL(here.value).pathname.slice(ROOT.pathname.length)));
export const search = computed(() => new URL(here.value).searchParams);

/** The part of the address behind `#`: the id of a section. */
export const anchor = computed(() => new URL(here.value).hash.slice(1));

/** `path` is relative to the root: `m/roof/history?from=...`. */
export function go(path: string, { replace = false } = {}): void {
  const url = new URL(path, ROOT);
  const moved = url.pathname !== location.pathname;
  history[replace ? 'replaceState' : 'pushState'](null, '', url);
  here.value = url.href;
  if (moved) scrollTo(0, 0);
}

export const meterPath = (unitId: string, part: MeterPart['name'] = 'live'): string =>
  `m/${encodeURIComponent(unitId)}${part === 'live' ? '' : `/${part}`}`;

export const eventPath = (id: string): string => `alerts/${id}`;

/** The query of the page of all meters that shows them as a plan. */
export const PLAN = '?view=plan';
/** The same by the positions of the meters where there is a picture, too. */
export const PLAN_BY_POSITION = '?view=plan&on=grid';
/** The list with one scale for all small lines. */
export const SAME_SCALE = '?scale=same';

function pageOf(path: string): Page {
  const own = PAGES.find(({ address }) => address === path.replace(/^index\.html$|\/$/, ''));
  if (own) return own;
  const [first = '', unit = '', name, ...rest] = path.split('/');
  if (first === 'alerts' && /^[1-9]\d*$/.test(unit) && name === undefined) return { name: 'event', id: unit };
  const [live, ...others] = METER_PAGES;
  const part = name === undefined ? live : others.find((other) => other.name === name);
  if (first !== 'm' || unit === '' || !part || rest.length > 0) return { name: 'nowhere' };
  return { name: 'meter', unitId: decoded(unit), part };
}

/** A sign of per cent that begins nothing stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Channel of answers and rules that name no channel. */
export const MAIN = 'main';

export const shownChannel = (): string => search.value.get('channel') || MAIN;

export const isOfMain = (): boolean => shownChannel() === MAIN;

/** For the query of a request or of an address: nothing for the main channel. */
export const ofChannel = (): { readonly channel?: string } => (isOfMain() ? {} : { channel: shownChannel() });

/** Whether something about these channels is about the shown one, too; null: about all. */
export const concernsShown = (channels: readonly string[] | null): boolean =>
  channels === null || channels.includes(shownChannel());
