import './style.css';
import { createRoot } from 'react-dom/client';
import * as z from 'zod';
import { App } from './shell/app.tsx';

// The content security policy forbids `eval`, which zod would otherwise try.
z.config({ jitless: true });

const place = document.getElementById('page');
if (place === null) throw new Error('The page has no place to stand.');
createRoot(place).render(<App />);
