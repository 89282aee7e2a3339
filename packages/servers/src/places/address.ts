import { BlockList, isIP, isIPv6 } from 'node:net';
import { SaidError } from '../said.ts';

const NOT_PUBLIC = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv6');
}

/** The address in its plain form. Refuses addresses without a location, such as private ones. */
export function requirePublicAddress(text: string): string {
  const address = text
    .normalize('NFKC')
    .trim()
    .replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) === 0 || address.includes('%')) {
    throw new SaidError({
      en: `"${text}" is not an IP address. Send one such as 203.0.113.10.`,
      ja: `「${text}」は IP アドレスではありません。203.0.113.10 のように指定してください。`,
    });
  }
  const plain = unmapped(address);
  if (NOT_PUBLIC.check(plain, familyOf(plain))) {
    throw new SaidError({
      en: `${plain} is a private or reserved address and has no place on the map. Send a public IP address.`,
      ja: `${plain} はプライベートまたは予約済みのアドレスなので、場所がありません。公開 IP アドレスを指定してください。`,
    });
  }
  return plain;
}

export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/** ::ffff:10.0.0.1 and ::ffff:a00:1 are the IPv4 address 10.0.0.1. */
function unmapped(address: string): string {
  if (!isIPv6(address)) return address;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const match = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!match) return canonical;
  const high = Number.parseInt(match[1] ?? '', 16);
  const low = Number.parseInt(match[2] ?? '', 16);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
