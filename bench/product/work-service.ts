import { z } from 'zod';
import { importLibrary } from '../library.ts';
import { WORK, work } from './work.ts';

const { defineService } = await importLibrary();

/** The tool, for worker processes of Dandori. */
export default defineService({
  name: 'bench',
  methods: {
    work: {
      description: WORK.description,
      effect: 'read',
      trusted: true,
      input: z.object({ ms: z.number(), size: z.number() }),
      run: work,
    },
  },
});
