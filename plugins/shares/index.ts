/** Shares: links that show a few values of a few units to people without an API key, for a time. */
import { invalid, listQuery, momentOf, NEXT, type PageQuery, pageOf, SHARE_PATH } from '../../lib/built-in.ts';
import { type Host, json, type Plugin } from '../../lib/index.ts';
import notes from '../notes/index.ts';
import { AllAnswers } from './answers.ts';
import { addPages, WrongLinks } from './page-routes.ts';
import {
  MOST_SHARED_DAYS,
  NEW_SHARE,
  SHARE,
  SHARE_ID,
  SHARE_MIGRATIONS,
  SHARES,
  shownShare,
  WANTED_SHARE,
  type WantedShare,
} from './schemas.ts';
import { type ShareBody, ShareStore } from './store.ts';

const COUNTS_MS = 60_000;
const DAY_MS = 86_400_000;

const plugin: Plugin = {
  name: 'shares',
  uses: ['notes', 'permits'],
  about: 'Links for residents and clients: a few values, read only, for a time',
  async register(given) {
    const host = { ...given, notes: given.use(notes) };
    const store = new ShareStore(await host.tables([SHARES], SHARE_MIGRATIONS), host.clock);
    await store.load();
    host.onStop(() => store.close());
    const answers = new AllAnswers(host);
    const wrong = new WrongLinks(host.clock, host.log);
    await followUnits(host, store, answers);
    writeCounts(host, store);
    host.onStop(() => wrong.flush());
    addList(host, store);
    addCreation(host, store);
    addRemoval(host, store, answers);
    addPages({ host, store, answers, wrong });
  },
};
export default plugin;

/** A removed unit is removed from all shares: another meter may get its id later. */
async function followUnits(host: Host, store: ShareStore, answers: AllAnswers): Promise<void> {
  const takeOut = (unitId: string) =>
    store
      .takeOut(unitId)
      .catch((error) => host.log.error({ err: error, unit_id: unitId }, 'a removed unit is still written in shares'));
  const shown = ['name', 'timezone', 'tags', 'history', 'pollIntervalSeconds'] as const;
  host.configs.onChange(() => answers.clear(), shown);
  host.on('removal', ({ unitId }) => void takeOut(unitId));
  const named = new Set(store.list().flatMap(({ units }) => units));
  for (const unitId of named) if (!host.configs.get(unitId)) await takeOut(unitId);
}

function writeCounts(host: Host, store: ShareStore): void {
  const write = () =>
    store.writeCounts().catch((error) => host.log.warn({ err: error }, 'counts of readers of shares are not written'));
  let cancel = () => {};
  const later = () => {
    cancel = host.clock.after(COUNTS_MS, () => void write().then(() => !host.signal.aborted && later()));
  };
  later();
  host.onStop(async () => {
    cancel();
    await write();
  });
}

function addList(host: Host, store: ShareStore): void {
  host.route<unknown, PageQuery>({
    method: 'GET',
    path: '/_shares',
    operation: 'listShares',
    access: 'admin',
    summary: 'List the shares',
    description: 'Without their links, which nobody can show again. Expired shares are listed until they are removed.',
    query: listQuery(),
    answer: { data: { type: 'array', items: SHARE }, next: NEXT },
    errors: [],
    handle({ query }) {
      const rest = store.list().filter(({ id }) => id > Number(query.cursor ?? 0));
      const { page, next } = pageOf(rest, query.limit, ({ id }) => id);
      return { data: page.map((share) => shownShare(share, host)), next };
    },
  });
}

function addCreation(host: Host, store: ShareStore): void {
  host.route<WantedShare, unknown>({
    method: 'POST',
    path: '/_shares',
    operation: 'createShare',
    access: 'admin',
    summary: 'Create a link that shows some values of some units to everybody who has it',
    description:
      'Only this answer has the link. The page needs no API key and shows nothing that is not named here; names of units are shown.',
    body: WANTED_SHARE,
    answer: { message: { type: 'string' }, data: NEW_SHARE },
    statuses: [201],
    errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ body, identity }) {
      const now = host.clock.now();
      const { row, token } = await store.add({ ...checked(host, body, now), createdBy: identity.name });
      const data = { ...shownShare(row, host), link: `${SHARE_PATH}${token}` };
      return json({ message: `The share ${row.name} is made. Its link is shown only now.`, data }, { status: 201 });
    },
  });
}

/** Errors: INVALID with the path. */
function checked(host: Host, body: WantedShare, now: number): Omit<ShareBody, 'createdBy'> {
  const { tag = null, units = [] } = body;
  if (units.length === 0 && tag === null) throw invalid([{ path: '/units', message: 'is required, or a tag' }]);
  if (units.length > 0 && tag !== null)
    throw invalid([{ path: '/tag', message: 'must not be given together with units' }]);
  const unknown = units.findIndex((unitId) => !host.configs.get(unitId));
  if (unknown >= 0) throw invalid([{ path: `/units/${unknown}`, message: 'is no unit of this gateway' }]);
  const expiresAt = momentOf(body.expires_at, '/expires_at');
  if (expiresAt <= now) throw invalid([{ path: '/expires_at', message: 'must be in the future' }]);
  if (expiresAt > now + MOST_SHARED_DAYS * DAY_MS)
    throw invalid([{ path: '/expires_at', message: `must be at most ${MOST_SHARED_DAYS} days from now` }]);
  const fromAt = body.from === undefined ? null : momentOf(body.from, '/from');
  if (fromAt !== null && fromAt >= expiresAt) throw invalid([{ path: '/from', message: 'must be before expires_at' }]);
  if (fromAt !== null && fromAt < 0) throw invalid([{ path: '/from', message: 'must not be before 1970' }]);
  const strange = body.embed.findIndex((text) => !URL.canParse(text) || new URL(text).origin !== text);
  if (strange >= 0)
    throw invalid([
      {
        path: `/embed/${strange}`,
        message: 'must be an origin as browsers write it, such as https://town.example.org',
      },
    ]);
  const { name, show, delay_s, round_db, title, text, embed } = body;
  return {
    name,
    units,
    tag,
    parts: show,
    delayS: delay_s,
    roundDb: round_db,
    fromAt,
    expiresAt,
    title,
    words: text,
    embed,
  };
}

function addRemoval(host: Host, store: ShareStore, answers: AllAnswers): void {
  host.route({
    method: 'DELETE',
    path: '/_shares/{id}',
    operation: 'revokeShare',
    params: SHARE_ID,
    access: 'admin',
    summary: 'Revoke a share: its link shows nothing from now on',
    answer: { message: { type: 'string' } },
    errors: ['SHARE_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ params, before }) {
      const id = Number(params.id);
      before(shownShare(store.needed(id), host));
      const { name } = await store.revoke(id);
      answers.forget(id);
      return { message: `The share ${name} is revoked. Its link shows nothing from now on.` };
    },
  });
}
