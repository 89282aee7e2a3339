import { setTimeout as sleep } from 'node:timers/promises';
import { ambiguous, defineService } from 'dandori';
import * as z from 'zod';

const PEOPLE = [
  { id: 'p1', name: 'Hanako Sato' },
  { id: 'p2', name: 'Hanako Suzuki' },
  { id: 'p3', name: 'Taro Tanaka' },
];

export default defineService({
  name: 'letters',
  methods: {
    // #region ambiguous
    find_person: {
      description: 'Finds a person in the address book by name or id. 宛先を探す',
      effect: 'read',
      trusted: true,
      input: z.object({ name: z.string(), id: z.string().optional() }),
      output: z.object({ id: z.string(), name: z.string() }),
      run: ({ name, id }, { language }) => {
        const found = PEOPLE.filter((person) =>
          id === undefined ? person.name.includes(name) : person.id === id,
        );
        const [only] = found;
        if (only === undefined) throw new Error(`The address book has no "${name}".`);
        if (found.length === 1) return only;
        throw ambiguous({
          question:
            language === 'ja'
              ? `「${name}」は ${found.length} 人います。どなたですか？`
              : `${found.length} people are called "${name}". Which one?`,
          options: found.map((person) => ({ label: person.name, value: person.id, args: { id: person.id } })),
        });
      },
    },
    // #endregion
    // #region context
    send: {
      description: 'Sends a letter to a person. 手紙を送る',
      effect: 'write',
      trusted: true,
      calls: ['clock.get_current_time'],
      input: z.object({ to: z.string(), text: z.string(), seconds: z.number().default(0) }),
      output: z.object({ letter: z.string(), from: z.string(), sent_on: z.string() }),
      run: async ({ to, text, seconds }, context) => {
        const today = z.object({ date: z.string() }).parse(await context.call('clock.get_current_time', {}));
        for (let second = 1; second <= seconds; second++) {
          context.progress(`letter to ${to}, ${text.length} characters`, second / seconds);
          await sleep(1000, undefined, { signal: context.signal });
        }
        return { letter: context.key, from: context.userId ?? 'unknown', sent_on: today.date };
      },
    },
    // #endregion
  },
});
