/** What a schema cannot check in a target: which of its fields belong together. Every message says what to change. */
import type { InputError } from '../../../lib/index.ts';
import type { Target } from './target.ts';

export type Asked = Readonly<Record<string, unknown>> & { readonly secret?: string };
/** The target that is to be replaced. */
export type Present = Target & { readonly hasSecret: boolean };

const WEBHOOK_SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;
const WORDS: Readonly<Record<string, { readonly needed: readonly string[]; readonly may: readonly string[] }>> = {
  webhook: { needed: ['url'], may: ['secret'] },
  mail: { needed: ['to'], may: [] },
  mqtt: { needed: ['url', 'topic'], may: ['username', 'secret'] },
};
const ALL = ['url', 'to', 'topic', 'username', 'secret'];

export function problemsOf(asked: Asked, present?: Present): InputError[] {
  const kind = String(asked.kind);
  const { needed = [], may = [] } = WORDS[kind] ?? {};
  const foreign = ALL.filter((name) => asked[name] !== undefined && !needed.includes(name) && !may.includes(name));
  return [
    ...needed.flatMap((name) => (asked[name] === undefined ? at(name, `is needed for the kind ${kind}`) : [])),
    ...foreign.flatMap((name) => at(name, `is not for the kind ${kind}: leave it out`)),
    ...(kind === 'webhook' ? ofWebhook(asked, present) : kind === 'mqtt' ? ofBroker(asked, present) : []),
  ];
}

const at = (name: string, message: string): InputError[] => [{ path: `/${name}`, message }];

function ofWebhook({ url, secret }: Asked, present: Present | undefined): InputError[] {
  const wanted = 'whsec_ and the base64 of 24 to 64 random bytes, the same at the receiver';
  if (/^\s*mqtts?:/i.test(String(url))) return at('url', 'must begin with https:// or http://');
  if (secret !== undefined) return WEBHOOK_SECRET.test(secret) ? [] : at('secret', `must be ${wanted}`);
  return present?.kind === 'webhook' && present.hasSecret ? [] : at('secret', `is needed: ${wanted}`);
}

function ofBroker({ url, username, secret }: Asked, present: Present | undefined): InputError[] {
  if (url !== undefined && !/^\s*mqtts?:/i.test(String(url))) return at('url', 'must begin with mqtts:// or mqtt://');
  const isKept = present?.kind === 'mqtt' && present.hasSecret;
  if (isKept && secret === undefined && url !== present.url)
    return at('secret', 'is needed again: the stored password is for another broker');
  if ((isKept || secret !== undefined) && username === undefined)
    return at('username', 'is needed together with a password');
  return [];
}
