import { serve } from '../serve.ts';

await serve('sqlite', () => import('./tools.ts'));
