import type { Attachment } from '../../model/task.ts';
import type { RunState } from '../state/state.ts';

type Attached = Pick<RunState, 'attachments' | 'goal' | 'settings'>;

/** Endings that tell the kind of a file and nothing else. */
const ENDINGS = new Set([
  'csv',
  'docx',
  'gif',
  'htm',
  'html',
  'jpeg',
  'jpg',
  'json',
  'log',
  'md',
  'pdf',
  'png',
  'pptx',
  'svg',
  'tsv',
  'txt',
  'webp',
  'xlsx',
  'xml',
  'yaml',
  'yml',
  'zip',
]);

/**
 * The names of the attached files, as the mind is told them. The sender of a file chooses its name, and the mind reads it
 * before it decides anything. So it is told only names that the user wrote in the goal. Others get a number.
 */
export function attachmentNames({ attachments, goal, settings }: Attached): string[] {
  const { trust } = settings;
  if (trust === undefined || trust.policy === 'observe') return attachments.map(({ name }) => name);
  const said = ` ${words(goal)} `;
  return attachments.map(({ name }, index) => {
    const [, stem = name, ending = ''] = /^(.+)\.([^.]+)$/.exec(name) ?? [];
    const known = ENDINGS.has(ending.toLowerCase()) ? `.${ending.toLowerCase()}` : '';
    const isSaid = said.includes(` ${words(name)} `) || (known !== '' && said.includes(` ${words(stem)} `));
    return isSaid && words(stem) !== '' ? name : `attachment-${index + 1}${known}`;
  });
}

/** `Bank_statement.PDF` is written like "bank statement pdf". */
function words(text: string): string {
  const plain = text.normalize('NFKC').toLowerCase();
  return plain.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const KINDS = new Set([
  ...['plain', 'csv', 'html', 'markdown', 'xml'].map((kind) => `text/${kind}`),
  ...['png', 'jpeg', 'gif', 'webp', 'svg+xml'].map((kind) => `image/${kind}`),
  ...['pdf', 'json', 'xml', 'yaml', 'zip', 'msword', 'vnd.ms-excel'].map((kind) => `application/${kind}`),
  `${OFFICE}.wordprocessingml.document`,
  `${OFFICE}.spreadsheetml.sheet`,
  `${OFFICE}.presentationml.presentation`,
]);

/** The media type, as the mind is told it. The sender chooses it too, so only types that tell a kind are told. */
export function attachmentType({ type, isText }: Pick<Attachment, 'type' | 'isText'>): string {
  if (KINDS.has(type)) return type;
  return isText ? 'text/plain' : 'application/octet-stream';
}
