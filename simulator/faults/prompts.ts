/** The prompt where it is not expected, or not where it is. */
import { defineFault } from './define.ts';
import { isPrompt, say } from './emissions.ts';
import { choice } from './settings.ts';

export const promptMissing = defineFault({
  name: 'prompt-missing',
  summary: 'The reply comes without the prompt after it.',
  works: 'by reply',
  settings: {},
  evidence: ['unknown', 'a prompt after every reply is sure on the serial side only'],
  create: () => ({
    outgoing: (emissions) => (emissions.some(isPrompt) ? emissions.filter((one) => !isPrompt(one)) : emissions),
  }),
});

export const promptDoubled = defineFault({
  name: 'prompt-doubled',
  summary: 'One prompt too many: after the prompt, or in front of the reply.',
  works: 'by reply',
  settings: { place: choice(['after', 'before'], 'after the reply and its prompt, or in front of the reply') },
  evidence: ['code', 'a public client strips a prompt in front of a reply on a kept connection'],
  create: ({ place }) => ({
    outgoing(emissions, _, frame) {
      if (frame) return emissions;
      return place === 'after' ? [...emissions, say('$')] : [say('$'), ...emissions];
    },
  }),
});
