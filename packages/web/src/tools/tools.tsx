export default function Tools() {
  return <h1 className="p-8 font-semibold text-xl">Tools</h1>;
}
