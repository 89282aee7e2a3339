import { config } from 'zod/v4';

// The content security policy forbids `eval`, which zod would otherwise try with the first schema. Every module
// of the page gets zod from here, so no schema exists earlier.
config({ jitless: true });

export * from 'zod/v4';
