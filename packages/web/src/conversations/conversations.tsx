export default function Conversations() {
  return <h1 className="p-8 font-semibold text-xl">Conversations</h1>;
}
