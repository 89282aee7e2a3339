import { serve } from '../serve.ts';

await serve('clock', () => import('./tools.ts'));
