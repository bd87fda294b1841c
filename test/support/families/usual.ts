/** Families of meters for tests that talk to a meter below the gateway. */
import type { Families, OperationName, Operations, Sender } from '../../../lib/drivers/contract.ts';
import { createFamilies } from '../../../lib/drivers/index.ts';
import { CONVERSATION } from '../../../lib/drivers/nl43/conversation.ts';
import { NL43 } from '../../../lib/drivers/nl43/index.ts';
import { operationOf, settingOf } from '../../../lib/drivers/not-supported.ts';
import type { Command, Conversation, StreamCommand, StreamTalk } from '../../../lib/drivers/wire/contract.ts';
import type { Caller, Reservation } from '../../../lib/meter/contract.ts';
import { standIn } from '../stand-in.ts';

/** Parts of a conversation that a test changes; of the stream, its command. */
export interface Changes extends Omit<Partial<Conversation>, 'stream'> {
  readonly stream?: StreamTalk['command'];
}

/** The usual family with these changes, and other settings if there are some. */
export function familiesWith({ stream, ...changes }: Changes, settings = NL43.settings): Families {
  const talk = stream && CONVERSATION.stream && { stream: { ...CONVERSATION.stream, command: stream } };
  return createFamilies([{ ...NL43, settings, conversation: { ...CONVERSATION, ...changes, ...talk } }]);
}

/** Answers of the meter: made by the test from the command. */
interface Answering {
  send(command: Command<unknown>): Promise<unknown>;
  peek?(stream: StreamCommand<unknown>): Promise<unknown>;
}

/** Parts for a double of a meter that acts like the usual family, with commands that the test answers. */
export function performing({ send, peek }: Answering) {
  const nothing = () => Promise.reject(new Error('there is no stream here'));
  const sender = standIn<Sender>({ send, peek: peek ?? nothing, session: {} });
  const place = { unitId: 'roof', family: NL43 };
  const perform: Reservation['perform'] = (name, ...values) => operationOf(place, name).run(sender, ...values);
  return {
    reservation: {
      perform,
      shouldYield: false,
      readSetting: async (name: string) => settingOf(place, name).read(sender),
      writeSetting: async (name: string, value: string) => settingOf(place, name).write(sender, value),
    },
    meter: {
      family: NL43,
      can: (...names: readonly OperationName[]) => names.every((name) => NL43.operations[name]),
      assertCan: () => {},
      perform: async <N extends OperationName>(name: N, { signal }: Caller, ...values: Parameters<Operations[N]>) => {
        signal.throwIfAborted();
        return perform(name, ...values);
      },
    },
  };
}
