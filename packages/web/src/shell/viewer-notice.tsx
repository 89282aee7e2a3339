import { useQuery } from '@tanstack/react-query';
import { useTexts } from './language.tsx';
import { useClient } from './session.tsx';
import { texts } from './texts.ts';

/** Whoever may only look is told so before they fill in a form that would be refused. */
export function ViewerNotice() {
  const say = useTexts(texts);
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['user'],
    queryFn: () => client.user(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data?.role !== 'viewer') return null;
  return <p className="border-line border-b bg-sunken px-4 py-2 text-sm">{say.viewer}</p>;
}
