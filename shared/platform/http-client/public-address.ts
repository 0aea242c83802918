import ipaddr from 'ipaddr.js'

/** The prefixes of IPv6 that carry an IPv4 address, with the byte at which it begins: RFC 3056 (6to4), RFC 6052 (NAT64). */
const carriers: readonly [network: ipaddr.IPv6, bits: number, begin: number][] = [
  [ipaddr.IPv6.parse('2002::'), 16, 2],
  [ipaddr.IPv6.parse('64:ff9b::'), 96, 12],
  [ipaddr.IPv6.parse('::ffff:0:0'), 96, 12],
]

/** All that IANA has given out as global unicast: RFC 4291. */
const globalUnicast = ipaddr.IPv6.parse('2000::')

/**
 * Whether an address is one of the public internet, by IANA's special-purpose registries. An IPv4 address inside an IPv6
 * one counts as that IPv4 address.
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
