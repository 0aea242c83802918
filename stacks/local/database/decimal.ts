/** Integers small enough that a JavaScript number holds their sum. */
const short = /^-?\d{1,15}$/

/**
 * Adds two decimals in plain notation exactly. DynamoDB numbers have 38 digits, more than a JavaScript number, so floating
 * point would make counters and money drift.
 */
export function add(left: string, right: string): string {
  if (short.test(left) && short.test(right)) return String(Number(left) + Number(right))
  const scale = Math.max(decimals(left), decimals(right))
  return format(unscaled(left, scale) + unscaled(right, scale), scale)
}

export function negate(number: string): string {
  return number.startsWith('-') ? number.slice(1) : `-${number}`
}

function decimals(number: string): number {
  return number.split('.')[1]?.length ?? 0
}

function unscaled(number: string, scale: number): bigint {
  const [whole = '0', fraction = ''] = number.split('.')
  return BigInt(whole + fraction.padEnd(scale, '0'))
}

function format(value: bigint, scale: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return (value < 0n ? '-' : '') + whole + (fraction && `.${fraction}`)
}
