import { printable } from './printable.ts'

const formula = /^[=+\-@\t](?!\d*\.?\d+$)/

/** Formats rows as aligned columns. The header is for people only, so that programs read rows and nothing else. */
export function tableOf(
  rows: readonly Record<string, unknown>[],
  columns: readonly string[],
  hasHeader: boolean,
): string {
  const header = hasHeader ? [columns.map((name) => name.toUpperCase())] : []
  const cells = [...header, ...rows.map((row) => columns.map((name) => cellOf(row[name])))]
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)))
  return cells
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/**
 * Formats rows as CSV (RFC 4180). A text that a spreadsheet would calculate as a formula begins with an apostrophe:
 * https://owasp.org/www-community/attacks/CSV_Injection.
 */
export function csvOf(rows: readonly Record<string, unknown>[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const field = (value: string) =>
    /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
  const plain = (value: unknown) => printable(textOf(value)).replace(formula, "'$&")
  const lines = [columns, ...rows.map((row) => columns.map((name) => plain(row[name])))]
  return lines.map((line) => line.map(field).join(',')).join('\r\n')
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Keeps every cell on one line. */
function cellOf(value: unknown): string {
  return textOf(value).replaceAll(/[\p{Cc}]+/gu, ' ')
}
