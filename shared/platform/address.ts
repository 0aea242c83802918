/**
 * Returns the key for limits per address: an IPv4 address itself, or the /64 of an IPv6 address, because the holder of
 * one address has the whole /64. Any other text is returned unchanged.
 */
export function addressBlock(address: string): string {
  const { v4, v6 } = parsed(address)
  return v4 ?? (v6 && `${prefixOf(v6, 4)}::/64`) ?? address
}

/**
 * Returns the network of an address: the /24 of an IPv4 address, the /48 of an IPv6 address. One customer of a hosting
 * provider often has as many addresses. Undefined for a loopback address or any other text.
 */
export function addressNetwork(address: string): string | undefined {
  const { v4, v6 } = parsed(address)
  if (v4 !== undefined) return v4.startsWith('127.') ? undefined : v4.replace(/\.\d+$/, '.0/24')
  const isLoopback = v6 === undefined || v6.every((group) => Number.parseInt(group, 16) <= 1)
  return isLoopback ? undefined : `${prefixOf(v6, 3)}::/48`
}

/** Returns an IPv4 address, even if it is mapped to IPv6, or the groups of an IPv6 address. */
function parsed(address: string): { v4?: string | undefined; v6?: string[] } {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (v4 !== undefined || !/^[\da-f]*:[\da-f:]*$/i.test(address)) return { v4 }
  const [head = '', tail] = address.split('::')
  const groups = (text = '') => text.split(':').filter(Boolean)
  const [left, right] = [groups(head), groups(tail)]
  const gap = Math.max(0, 8 - left.length - right.length)
  const zeros = Array.from({ length: tail === undefined ? 0 : gap }, () => '0')
  return { v6: [...left, ...zeros, ...right] }
}

function prefixOf(groups: readonly string[], count: number): string {
  return groups
    .slice(0, count)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
