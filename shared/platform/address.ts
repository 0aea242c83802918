/**
 * Returns the key that per-address limits count under: an IPv4 address itself; of an IPv6 address its /64, since
 * the holder of one address has the whole /64. Any other text is returned unchanged.
 */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!/^[\da-f]*:[\da-f:]*$/i.test(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = (text = '') => text.split(':').filter(Boolean)
  const [left, right] = [groups(head), groups(tail)]
  const gap = Math.max(0, 8 - left.length - right.length)
  const zeros = Array.from({ length: tail === undefined ? 0 : gap }, () => '0')
  const network = [...left, ...zeros, ...right].slice(0, 4)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
