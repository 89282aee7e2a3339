import { stringifyJson } from '../model/json.ts';

/** A file of a browser, or a text or bytes with a name. */
export type ClientAttachment =
  | File
  | { readonly name: string; readonly data: string | Uint8Array; readonly type?: string | undefined };

/** The request, as a form if it has files. */
export function asForm(request: object, attachments: readonly ClientAttachment[]): object {
  return attachments.length === 0 ? request : formOf(request, attachments);
}

function formOf(request: object, attachments: readonly ClientAttachment[]): FormData {
  const form = new FormData();
  form.append('request', stringifyJson(request));
  for (const file of attachments) {
    const content =
      file instanceof Blob
        ? file
        : new Blob([typeof file.data === 'string' ? file.data : new Uint8Array(file.data)], {
            ...(file.type !== undefined && { type: file.type }),
          });
    form.append('file', content, file.name);
  }
  return form;
}
