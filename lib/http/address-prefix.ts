/** How an address is counted: an IPv6 customer has at least 2^64 addresses (RFC 6177), and they count as one. */
export function addressPrefix(address: string): string {
  if (!address.includes(':')) return address;
  const [front = '', back] = address.split('::');
  const head = groups(front);
  const tail = groups(back ?? '');
  const zeros = Array.from({ length: back === undefined ? 0 : 8 - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}

const groups = (text: string): string[] => text.split(':').filter((group) => group !== '');
