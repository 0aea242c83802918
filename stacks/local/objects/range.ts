/**
 * The part that a Range header asks for: RFC 9110, 14.2.
 * @returns undefined for the whole, also where the header asks for several parts or in another unit; `none` where the
 * part begins behind the end
 */
export function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'none' : { start, end }
}
