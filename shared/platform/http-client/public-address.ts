import ipaddr from 'ipaddr.js'

/**
 * IPv6 prefixes that embed an IPv4 address, with the offset of its first byte: RFC 3056 (6to4), RFC 6052 (NAT64).
 */
const carriers: readonly [network: ipaddr.IPv6, bits: number, begin: number][] = [
  [ipaddr.IPv6.parse('2002::'), 16, 2],
  [ipaddr.IPv6.parse('64:ff9b::'), 96, 12],
  [ipaddr.IPv6.parse('::ffff:0:0'), 96, 12],
]

/** The whole range that IANA assigns as global unicast: RFC 4291. */
const globalUnicast = ipaddr.IPv6.parse('2000::')

/**
 * Returns whether an address belongs to the public internet, according to IANA's special-purpose registries. An IPv4
 * address embedded in IPv6 is judged as that IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast'
  const carrier = carriers.find(([network, bits]) => address.match(network, bits))
  if (carrier !== undefined) {
    const [, , begin] = carrier
    const bytes = address.toByteArray().slice(begin, begin + 4)
    return new ipaddr.IPv4(bytes).range() === 'unicast'
  }
  return address.match(globalUnicast, 3) && address.range() === 'unicast'
}
