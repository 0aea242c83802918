/**
 * Writes rows as CSV (RFC 4180) with a header. Unknown values are empty. A text that a spreadsheet would execute as a
 * formula begins with an apostrophe.
 */
export function csvOf<Name extends string>(
  columns: readonly Name[],
  rows: readonly Readonly<Record<Name, string | number | null>>[],
): string {
  const lines = [
    columns.join(','),
    ...rows.map((row) => columns.map((name) => field(row[name])).join(',')),
  ]
  return lines.map((line) => `${line}\r\n`).join('')
}

function field(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return plain(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Formats a number for programs: digits and a point, no exponent. */
export function plain(value: number): string {
  return value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })
}
