import { serve } from '../serve.ts';

await serve('shell', () => import('./tools.ts'));
