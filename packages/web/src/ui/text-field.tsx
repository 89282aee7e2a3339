import type { ComponentProps, KeyboardEvent, Ref } from 'react';

interface Props extends Omit<ComponentProps<'textarea'>, 'onChange' | 'value'> {
  readonly label: string;
  readonly isLabelShown?: boolean;
  /** What stands around it has a border of its own. */
  readonly isBare?: boolean;
  readonly value: string;
  readonly onType: (text: string) => void;
  /** Ctrl+Enter, or Cmd+Enter. */
  readonly onSend?: () => void;
  readonly ref?: Ref<HTMLTextAreaElement>;
}

/** Several lines of text; it grows with them. */
export function TextField({
  label,
  isLabelShown = false,
  isBare = false,
  onType,
  onSend,
  className = '',
  onKeyDown,
  ...rest
}: Props) {
  const send = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    onKeyDown?.(event);
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSend?.();
  };
  return (
    <label className="flex flex-col gap-1">
      <span className={isLabelShown ? 'text-faint text-sm' : 'sr-only'}>{label}</span>
      <textarea
        {...rest}
        onChange={({ target }) => onType(target.value)}
        onKeyDown={send}
        className={`field-sizing-content w-full rounded ${isBare ? 'resize-none' : 'resize-y border border-line bg-sheet px-3 py-2'} ${className}`}
      />
    </label>
  );
}
