export default function Conversation({ conversation }: { readonly conversation: string }) {
  return <h1 className="p-8 font-semibold text-xl">{conversation}</h1>;
}
