import { serve } from '../serve.ts';

await serve('places', () => import('./tools.ts'));
