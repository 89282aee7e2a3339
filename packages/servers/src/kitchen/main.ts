import { serve } from '../serve.ts';

await serve('kitchen', () => import('./tools.ts'));
