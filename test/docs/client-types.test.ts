/** The types of the client are written from the OpenAPI document, like the tables of the documentation from the code. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { CLIENT_TYPES, clientTypes } from '../../build/client-types.ts';
import { openWorld } from '../support/world.ts';

t.test('the types of the client are those of the OpenAPI document', async (t) => {
  const world = await openWorld(t);
  const { body: document } = await world.get('/openapi.json');
  t.equal(readFileSync(CLIENT_TYPES, 'utf8'), clientTypes(document), '`npm run client:types` writes them');
});

t.test('a schema becomes the type that says the same', async (t) => {
  const level = { type: ['number', 'null'], description: 'dB, as in */15' };
  const Rule = {
    type: 'object',
    properties: {
      level,
      words: { type: 'array', items: { enum: ["it's", 1, null] } },
      inner: { type: ['object', 'null'], properties: { on: { const: true } }, required: ['on'] },
      other: { anyOf: [{ $ref: '#/components/schemas/Other' }, { type: 'null' }] },
      names: { type: 'object', additionalProperties: { type: 'string' } },
      anything: {},
      last: { type: 'object', allOf: [{ $ref: '#/components/schemas/Base' }], unevaluatedProperties: false },
    },
    required: ['level', 'other'],
    allOf: [{ $ref: '#/components/schemas/Base' }],
  };
  const Base = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
  const text = clientTypes({ components: { schemas: { Base, Other: { type: 'string' }, Rule } } });
  t.equal(
    text.slice(text.indexOf('export')),
    `export interface Base {
  readonly id: string;
}

export type Other = string;

export interface Rule extends Base {
  /** dB, as in *\\/15 */
  readonly level: number | null;
  readonly words?: ReadonlyArray<'it\\'s' | 1 | null>;
  readonly inner?: {
    readonly on: true;
  } | null;
  readonly other: Other | null;
  readonly names?: Readonly<Record<string, string>>;
  readonly anything?: unknown;
  readonly last?: Base;
}
`,
  );
});
