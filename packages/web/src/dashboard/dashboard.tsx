export default function Dashboard() {
  return <h1 className="p-8 font-semibold text-xl">Dashboard</h1>;
}
