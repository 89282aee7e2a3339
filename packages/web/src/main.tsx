import './style.css';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.tsx';

const place = document.getElementById('page');
if (place === null) throw new Error('The page has no place to stand.');
createRoot(place).render(<App />);
