/** The routes of records of units that keep all their versions, such as notes: lists, creation, change and removal. */
import { type Fields, named, orNull, shownRecord, shownSchemas } from '../domain/fields/field.ts';
import { reaches, UNIT_ID } from '../domain/ids.ts';
import { type ErrorCode, GatewayError } from '../errors.ts';
import { readOnly, settable } from '../http/checks.ts';
import type { Identity, Request, Route, Schema } from '../http/contract.ts';
import { listQuery, NEXT, type PageQuery, pageOf } from '../http/query.ts';
import { json } from '../http/reply.ts';
import type { DeviceConfig, Versioned } from '../store/contract.ts';
import type { Host } from './contract.ts';

/** The most records of a page that has all their versions. */
const WITH_VERSIONS = 50;

/** A record in answers, by the fields of its table. */
export function versionedSchema(title: string, fields: Fields): Schema {
  const { id, unit_id, created_at, ...version } = shownSchemas(fields);
  const versions = {
    type: 'array',
    items: named(`${title}Version`, version),
    description: 'All versions, the oldest first. Only with versions=true.',
  };
  return named(title, { id, unit_id, created_at, ...version, versions: orNull(versions) } as Record<string, Schema>);
}

/** As an answer has it. `versions`: all of them, if the caller wants them. */
export function shownVersions(fields: Fields, record: Versioned, versions?: readonly Versioned[]) {
  const shownVersion = ({ id: _, unitId: __, createdAt: ___, ...version }: Versioned) => shownRecord(content, version);
  const { id: _, unitId: __, createdAt: ___, ...content } = fields;
  return { ...shownRecord(fields, record), id: String(record.id), versions: versions?.map(shownVersion) ?? null };
}

/** `VersionedRecords`, or an object with more. */
interface Records<Kept extends Versioned> {
  list(unitId?: string, options?: { readonly removed?: boolean }): readonly Kept[];
  find(id: number): Kept | undefined;
  versions(ids: readonly number[]): Promise<readonly Kept[]>;
  add(unitId: string, body: Omit<Kept, keyof Versioned>, by: string): Promise<Kept>;
  change(id: number, body: Omit<Kept, keyof Versioned>, by: string): Promise<Kept>;
  remove(id: number, by: string): Promise<Kept>;
}

interface VersionsQuery extends PageQuery {
  readonly unit?: string;
  readonly versions: boolean;
}

type RouteWords = Pick<Route, 'operation' | 'summary' | 'description'>;

/** One kind of records; `Given`: a request, `Filters`: of a list. */
export interface VersionedThings<Kept extends Versioned, Given extends object, Filters = object> {
  readonly records: Records<Kept>;
  /** `notes`: of `/_notes`, `/{unit_id}/notes` and `/{unit_id}/notes/{id}`. */
  readonly path: string;
  readonly noun: string;
  readonly notFound: ErrorCode;
  readonly fields: Fields;
  readonly schema: Schema;
  /** Fields of a request. */
  readonly given: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  /** Of the bodies of POST and PUT. */
  readonly examples: { readonly create: object; readonly change: object };
  /** Query parameters of the lists. */
  readonly filters: Readonly<Record<string, Schema>>;
  /** The records that pass the filters. Errors: INVALID. */
  filtered?(records: readonly Kept[], query: Filters): readonly Kept[];
  /** The rest of a list from the cursor on. Default: the records with smaller ids. */
  behind?(records: readonly Kept[], cursor: number): readonly Kept[];
  /** More in the answer of the list of a unit. */
  readonly beside?: { readonly schema: Readonly<Record<string, Schema>>; of(unitId: string): object };
  /** The content of a new record (without `present`), or of a changed one. Errors: INVALID. */
  contentOf(
    given: Given,
    present: Kept | undefined,
    about: { readonly config: DeviceConfig; readonly identity: Identity },
  ): Omit<Kept, keyof Versioned>;
  /** Called after a new record is stored. */
  added?(record: Kept, by: string): Promise<void>;
  /** Beginning of messages: `The note 12`. */
  titleOf(record: Kept): string;
  /** A new record is `written`. */
  readonly made: string;
  readonly words: Readonly<Record<'list' | 'listAll' | 'create' | 'change' | 'remove', RouteWords>>;
}

type Things = VersionedThings<Versioned, object>;

/** Viewers may read them, and operators change them. The audit log gets the record before each change. */
export function addVersionedRoutes(host: Host, things: Things): void {
  addLists(host, things);
  addCreation(host, things);
  addChanges(host, things);
}

function addLists(host: Host, things: Things): void {
  const { path, noun, words, schema, beside } = things;
  const filters = {
    ...things.filters,
    versions: {
      type: 'boolean',
      default: false,
      description: `Also ${noun}s that were removed, and all versions of each; at most ${WITH_VERSIONS} ${noun}s a page.`,
    },
  };
  const answer = { data: { type: 'array', items: schema }, next: NEXT };
  const list = { method: 'GET', access: 'viewer', etag: true } as const;
  host.route<unknown, VersionsQuery>({
    ...list,
    path: `/{unit_id}/${path}`,
    ...words.list,
    query: listQuery(filters),
    answer: { ...answer, ...beside?.schema },
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, query }) {
      host.configs.of(unitId);
      return { ...(await pageOfRecords(things, query, unitId)), ...beside?.of(unitId) };
    },
  });
  host.route<unknown, VersionsQuery>({
    ...list,
    path: `/_${path}`,
    filtersUnits: true,
    ...words.listAll,
    query: listQuery({ ...filters, unit: { type: 'string', pattern: UNIT_ID } }),
    answer,
    errors: [],
    handle: ({ query, identity }) => pageOfRecords(things, query, query.unit, identity),
  });
}

async function pageOfRecords(things: Things, query: VersionsQuery, unitId?: string, identity?: Identity) {
  const { records, fields, behind = olderThan } = things;
  const { limit, cursor, versions } = query;
  const all = records.list(unitId, { removed: versions }).filter((one) => !identity || reaches(identity, one.unitId));
  const seen = things.filtered?.(all, query) ?? all;
  const rest = cursor === undefined ? seen : behind(seen, Number(cursor));
  const { page, next } = pageOf(rest, versions ? Math.min(limit, WITH_VERSIONS) : limit, ({ id }) => id);
  const history = versions ? await records.versions(page.map(({ id }) => id)) : [];
  const byId = Map.groupBy(history, ({ id }) => id);
  return { data: page.map((record) => shownVersions(fields, record, byId.get(record.id))), next };
}

const olderThan = (records: readonly Versioned[], cursor: number) => records.filter(({ id }) => id < cursor);

function addCreation(host: Host, things: Things): void {
  const { records, path, fields, schema, given, required, examples, words } = things;
  host.route<object, unknown>({
    method: 'POST',
    path: `/{unit_id}/${path}`,
    access: 'operator',
    ...words.create,
    body: { type: 'object', additionalProperties: false, required, properties: given, example: examples.create },
    answer: { message: { type: 'string' }, data: schema },
    statuses: [201],
    errors: ['UNIT_NOT_FOUND'],
    async handle({ unitId, body, identity }) {
      const content = things.contentOf(body, undefined, { config: host.configs.of(unitId), identity });
      const record = await records.add(unitId, content, identity.name);
      await things.added?.(record, identity.name);
      const message = `${things.titleOf(record)} is ${things.made}.`;
      const location = `/${unitId}/${path}/${record.id}`;
      return json({ message, data: shownVersions(fields, record) }, { status: 201, location });
    },
  });
}

function addChanges(host: Host, things: Things): void {
  const { records, path, noun, notFound, fields, schema, given, words } = things;
  const fixed = Object.keys(schema.properties ?? {}).filter((name) => !Object.hasOwn(given, name));
  const one = {
    path: `/{unit_id}/${path}/{id}`,
    params: { id: { type: 'string', pattern: '^[1-9][0-9]{0,14}$', description: `the id of a ${noun}` } },
    access: 'operator',
    answer: { message: { type: 'string' }, data: schema },
    errors: ['UNIT_NOT_FOUND', notFound],
  } as const;
  /** Errors: UNIT_NOT_FOUND; as `notFound`, also for a record of another unit. */
  const present = ({ unitId, params: { id }, before }: Pick<Request, 'unitId' | 'params' | 'before'>) => {
    const config = host.configs.of(unitId);
    const record = records.find(Number(id));
    if (record?.unitId !== unitId) throw new GatewayError(notFound, `There is no ${noun} ${id} of ${unitId}.`);
    before(shownVersions(fields, record));
    return { config, record };
  };
  host.route<object, unknown>({
    ...one,
    method: 'PUT',
    ...words.change,
    body: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: { ...given, ...readOnly(fixed) },
      example: things.examples.change,
    },
    async handle(request) {
      const { config, record } = present(request);
      const { body, identity } = request;
      const content = things.contentOf(settable(body, fixed, String(record.id)), record, { config, identity });
      const changed = await records.change(record.id, content, identity.name);
      return { message: `${things.titleOf(changed)} is changed.`, data: shownVersions(fields, changed) };
    },
  });
  host.route({
    ...one,
    method: 'DELETE',
    ...words.remove,
    async handle(request) {
      const removed = await records.remove(present(request).record.id, request.identity.name);
      return { message: `${things.titleOf(removed)} is removed.`, data: shownVersions(fields, removed) };
    },
  });
}
