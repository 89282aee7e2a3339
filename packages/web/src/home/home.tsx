export default function Home() {
  return <h1 className="p-8 font-semibold text-xl">Home</h1>;
}
