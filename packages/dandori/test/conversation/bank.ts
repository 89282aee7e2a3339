import * as z from 'zod';
import type { JsonObject } from '../../src/model/json.ts';
import type { Effect } from '../../src/model/tool.ts';
import type { ModelReply, RecordedRequest } from '../../src/testing/model-server/index.ts';
import { defineService } from '../../src/tools/service.ts';
import { type Home, openHome } from '../requirements/home.ts';

export type Script = (about: { goal: string; last: string; request: RecordedRequest }) => ModelReply;

interface Bank {
  readonly home: Home;
  /** The accounts to which money was transferred. */
  readonly sent: readonly string[];
}

interface BankOptions {
  readonly script: Script;
  /** What the mailbox holds. */
  readonly mail: JsonObject;
  /** The effect of a transfer: a `destructive` one is asked about by default, a `write` is not. */
  readonly effect: Effect;
  readonly yaml?: string;
}

/** A home with a bank that transfers money, and a mailbox whose mail an attacker may have written. */
export async function openBank({ script, mail, effect, yaml = '' }: BankOptions): Promise<Bank> {
  const sent: string[] = [];
  const bank = defineService({
    name: 'bank',
    methods: {
      transfer: {
        description: 'Transfers money',
        effect,
        input: z.object({ to: z.string() }),
        run: ({ to }) => sent.push(to),
      },
    },
  });
  const mailbox = defineService({
    name: 'mail',
    methods: {
      read: {
        description: 'Reads the mail',
        effect: 'read',
        trusted: false,
        input: z.object({}),
        run: () => mail,
      },
    },
  });
  const home = await openHome({
    yaml,
    services: [bank, mailbox],
    script: (request) => {
      const goal = /Goal:\n([\s\S]*)/.exec(request.promptText)?.[1] ?? '';
      return script({ goal, last: JSON.stringify(request.body.messages?.at(-1)?.content ?? ''), request });
    },
  });
  return { home, sent };
}
