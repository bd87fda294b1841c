/** A picture of the site as a plan, and the places of meters on it. */
import { PICTURE_TYPES } from '../../lib/built-in.ts';
import {
  file,
  forgetRemoved,
  GatewayError,
  type Host,
  iso,
  named,
  orNull,
  type Reply,
  reaches,
  type Schema,
  TIME,
} from '../../lib/index.ts';
import { MARKS, type Mark, PICTURES, type PictureRow, PLAN_MIGRATIONS, PlanStore } from './plan-store.ts';

const SHARE: Schema = { type: 'number', minimum: 0, maximum: 1 };
const PLACE = {
  x: { ...SHARE, description: 'From the left edge of the picture, 0 to 1.' },
  y: { ...SHARE, description: 'From its upper edge, 0 to 1.' },
};
const MARK: Schema = named('PlanMark', { unit_id: { type: 'string' }, ...PLACE });
const PICTURE: Schema = orNull(
  named('PlanPicture', {
    sha256: { type: 'string', description: 'A new value: the picture has changed.' },
    media_type: { type: 'string', enum: PICTURE_TYPES },
    bytes: { type: 'integer' },
    width: { type: 'integer' },
    height: { type: 'integer' },
    changed_at: TIME,
  }),
);

const shownPicture = ({ mediaType, changedAt, ...facts }: PictureRow) => ({
  ...facts,
  media_type: mediaType,
  changed_at: iso(changedAt),
});
const shownMark = ({ unitId, x, y }: Mark) => ({ unit_id: unitId, x, y });

const MOST_BYTES = 5_000_000;

export async function addPlan(host: Host): Promise<void> {
  const tables = await host.tables([PICTURES, MARKS], PLAN_MIGRATIONS);
  const store = new PlanStore(tables, await host.folder(), host.clock);
  await store.load();
  host.onStop(() => store.close());
  await forgetRemoved(host, tables, store);
  addReading(host, store);
  addPicture(host, store);
  addMarks(host, store);
}

function addReading(host: Host, store: PlanStore): void {
  host.route({
    method: 'GET',
    path: '/_plan',
    operation: 'getPlan',
    access: 'viewer',
    filtersUnits: true,
    summary: 'Show the picture of the plan, and the places of meters on it',
    description: 'picture null: no picture. Only meters that the API key may see.',
    answer: { data: named('Plan', { picture: PICTURE, marks: { type: 'array', items: MARK } }) },
    etag: true,
    errors: [],
    handle({ identity }) {
      const { picture } = store;
      const marks = store.marks().filter(({ unitId }) => host.configs.get(unitId) && reaches(identity, unitId));
      return { data: { picture: picture ? shownPicture(picture) : null, marks: marks.map(shownMark) } };
    },
  });
  host.route({
    method: 'GET',
    path: '/_plan/picture',
    operation: 'getPlanPicture',
    access: 'viewer',
    filtersUnits: true,
    summary: 'Get the picture of the plan',
    answer: 'file',
    contentTypes: PICTURE_TYPES,
    errors: ['PLAN_NOT_FOUND'],
    handle: () => pictureFile(store),
  });
}

function pictureFile(store: PlanStore): Reply {
  const picture = store.needed();
  const { sha256, mediaType, bytes } = picture;
  const name = `plan.${mediaType === 'image/png' ? 'png' : 'jpg'}`;
  const content = { name, size: bytes, contentType: mediaType };
  return file({ ...content, bytes: (range) => store.open(picture, range) }, { etag: sha256 });
}

function addPicture(host: Host, store: PlanStore): void {
  host.route({
    method: 'PUT',
    path: '/_plan/picture',
    operation: 'putPlanPicture',
    access: 'admin',
    summary: 'Make a picture the plan',
    description: `A whole PNG or JPEG of up to ${MOST_BYTES / 1e6} MB and 50 million pixels; the bytes decide its type. Meters keep their places.`,
    upload: { contentType: 'application/octet-stream', limit: MOST_BYTES },
    answer: { message: { type: 'string' }, data: PICTURE },
    errors: ['STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ upload, before }) {
      const { picture } = store;
      before(picture ? shownPicture(picture) : null);
      const chunks: Buffer[] = [];
      for await (const chunk of upload) chunks.push(chunk);
      const kept = await store.replace(Buffer.concat(chunks));
      return { message: `The plan is a picture of ${kept.width} x ${kept.height} pixels.`, data: shownPicture(kept) };
    },
  });
  host.route({
    method: 'DELETE',
    path: '/_plan/picture',
    operation: 'removePlanPicture',
    access: 'admin',
    summary: 'Remove the picture of the plan, and the places of meters on it',
    answer: { message: { type: 'string' } },
    errors: ['PLAN_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ before }) {
      before({ picture: shownPicture(store.needed()), marks: store.marks().map(shownMark) });
      await store.remove();
      return { message: 'The picture of the plan is removed.' };
    },
  });
}

function addMarks(host: Host, store: PlanStore): void {
  const present = (unitId: string) => {
    const mark = store.mark(unitId);
    return mark ? shownMark(mark) : null;
  };
  host.route<Pick<Mark, 'x' | 'y'>, unknown>({
    method: 'PUT',
    path: '/{unit_id}/plan',
    operation: 'putOnPlan',
    access: 'operator',
    summary: 'Put the meter on the picture of the plan',
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['x', 'y'],
      properties: PLACE,
      example: { x: 0.25, y: 0.6 },
    },
    answer: { message: { type: 'string' }, data: MARK },
    errors: ['UNIT_NOT_FOUND', 'PLAN_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ unitId, body, before }) {
      host.configs.of(unitId);
      before(present(unitId));
      const mark = { unitId, ...body };
      await store.put(mark);
      return { message: `The meter ${unitId} is on the plan.`, data: shownMark(mark) };
    },
  });
  host.route({
    method: 'DELETE',
    path: '/{unit_id}/plan',
    operation: 'removeFromPlan',
    access: 'operator',
    summary: 'Take the meter from the picture of the plan',
    answer: { message: { type: 'string' } },
    errors: ['UNIT_NOT_FOUND', 'PLAN_NOT_FOUND', 'STORAGE_FULL', 'STORAGE_FAILED'],
    async handle({ unitId, before }) {
      host.configs.of(unitId);
      before(present(unitId));
      if (!(await store.takeAway(unitId)))
        throw new GatewayError('PLAN_NOT_FOUND', `The meter ${unitId} is not on the plan.`);
      return { message: `The meter ${unitId} was removed from the plan.` };
    },
  });
}
