import { useLanguage } from '../shell/language.tsx';

/** When something happened, to the second; the day where it was another one. */
export function ClockTime({ at }: { readonly at: number }) {
  const { language } = useLanguage();
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const style = { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false } as const;
  return (
    <time
      dateTime={date.toISOString()}
      title={date.toLocaleString(language)}
      className="whitespace-nowrap tabular-nums"
    >
      {isToday
        ? date.toLocaleTimeString(language, style)
        : date.toLocaleString(language, { month: 'short', day: 'numeric', ...style })}
    </time>
  );
}
