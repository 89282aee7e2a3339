import './style.css';
import { createRoot } from 'react-dom/client';
import * as z from 'zod';
import { App } from './shell/app.tsx';

// The server forbids code made of text, and zod would try it before it does without.
z.config({ jitless: true });

const place = document.getElementById('page');
if (place === null) throw new Error('The page has no place to stand.');
createRoot(place).render(<App />);
