/** Several gateways: each has a name, and one of them counts. */
import { resolve } from 'node:path';
import { type Command, WrongWords } from '../contract.ts';
import { checkedUrl, contextNamed, readContexts, writeContexts } from '../gateway-address.ts';
import { printed, table, text } from '../output.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const CONTEXTS: readonly Command[] = [
  {
    name: 'context list',
    summary: 'List the gateways that have a name',
    examples: ['slm context list'],
    async run(call) {
      const { current, contexts } = readContexts(call.terminal);
      const data = Object.entries(contexts).map(([name, context]) => ({ name, current: name === current, ...context }));
      const rows = data.map(({ name, current, url, key_file }) => [name, current ? 'yes' : '-', url, text(key_file)]);
      const head = ['name', 'in use', 'address', 'key file'];
      return printed(call, data, () => table(head, rows, 'No contexts. slm context add adds one.'));
    },
  },
  {
    name: 'context add',
    summary: 'Give a gateway a name, or change what belongs to this name',
    words: [{ name: 'NAME' }, { name: 'ADDRESS' }],
    examples: [
      'slm context add quarry http://192.0.2.7:8100',
      'slm context add quarry http://192.0.2.7:8100 --key-file ~/.config/slm/quarry.key',
    ],
    notes: [
      'The key file that is named here is used for this gateway and for no other one. The first context is in use at once.',
    ],
    async run(call) {
      const { NAME: name = '', ADDRESS: url = '' } = call.words;
      const keyFile = call.options['key-file'];
      if (!NAME.test(name)) throw new WrongWords('a name has letters, digits, dots, dashes and underscores');
      const context = { url: checkedUrl(url), ...(typeof keyFile === 'string' && { key_file: resolve(keyFile) }) };
      const { current, contexts } = readContexts(call.terminal);
      writeContexts(call.terminal, { current: current ?? name, contexts: { ...contexts, [name]: context } });
      return printed(call, { name, ...context }, () => `${name} is ${context.url}.`);
    },
  },
  {
    name: 'context use',
    summary: 'Choose the gateway that the next commands work with',
    words: [{ name: 'NAME' }],
    examples: ['slm context use quarry'],
    notes: ['--context NAME, SLM_CONTEXT, --url and SLM_URL come before it.'],
    async run(call) {
      const { NAME: name = '' } = call.words;
      const all = readContexts(call.terminal);
      const { url } = contextNamed(name, all);
      writeContexts(call.terminal, { ...all, current: name });
      return printed(call, { name, url }, () => `Commands now go to ${name}, ${url}.`);
    },
  },
  {
    name: 'context remove',
    summary: 'Forget the name of a gateway',
    words: [{ name: 'NAME' }],
    examples: ['slm context remove quarry'],
    async run(call) {
      const { NAME: name = '' } = call.words;
      const all = readContexts(call.terminal);
      contextNamed(name, all);
      const { [name]: _removed, ...contexts } = all.contexts;
      writeContexts(call.terminal, { current: all.current === name ? null : all.current, contexts });
      return printed(call, { name }, () => `${name} is removed.`);
    },
  },
];
