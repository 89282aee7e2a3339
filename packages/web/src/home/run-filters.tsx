import { useTexts } from '../shell/language.tsx';
import type { Query } from '../shell/route.tsx';
import { texts } from '../texts/home.ts';
import { words } from '../texts/words.ts';
import { Button } from '../ui/button.tsx';
import { Choice, SearchField } from '../ui/fields.tsx';
import { STATUSES } from './filters.ts';

interface Props {
  readonly query: Query;
  readonly onChoose: (change: Query) => void;
  /** Undefined if no filter is set. */
  readonly onClear: (() => void) | undefined;
}

const CHOICES = ['any', ...STATUSES] as const;

export function RunFilters({ query, onChoose, onClear }: Props) {
  const word = useTexts(words);
  const say = useTexts(texts).list;
  const chosen = STATUSES.find((one) => one === query.status) ?? 'any';
  return (
    <search className="flex flex-wrap items-center gap-2">
      <span className="flex w-full sm:w-64">
        <SearchField label={say.search} value={query.text ?? ''} onType={(text) => onChoose({ text })} />
      </span>
      <Choice
        label={word.status}
        value={chosen}
        options={CHOICES}
        texts={{ ...word.statuses, any: say.any }}
        onChoose={(value) => onChoose({ status: value === 'any' ? '' : value })}
        isBare
      />
      <Day label={say.since} value={query.since ?? ''} onChoose={(since) => onChoose({ since })} />
      <Day label={say.until} value={query.until ?? ''} onChoose={(until) => onChoose({ until })} />
      {onClear && (
        <Button look="bare" onClick={onClear}>
          {say.clear}
        </Button>
      )}
    </search>
  );
}

interface DayProps {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (day: string) => void;
}

function Day({ label, value, onChoose }: DayProps) {
  return (
    <label className="flex items-center gap-1.5 text-faint text-sm">
      {label}
      <input
        type="date"
        value={value}
        onChange={({ target }) => onChoose(target.value)}
        className="rounded border border-line bg-sheet px-2 py-1 text-ink"
      />
    </label>
  );
}
