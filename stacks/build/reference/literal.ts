/** The maximum width of a value on one line. */
const widest = 56

/** Returns a value as TypeScript source. */
export function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return text(value)
  if (value === null || typeof value !== 'object') return String(value)
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{ ', ' }']
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, inner))
    : Object.entries(value).map(([name, one]) => `${key(name)}: ${literal(one, inner)}`)
  if (parts.length === 0) return `${open}${close}`.replaceAll(' ', '')
  const short = `${open}${parts.join(', ')}${close}`
  if (short.length <= widest && !short.includes('\n')) return short
  return `${open.trim()}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close.trim()}`
}

function text(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name)
}
