/** Formats US dollars for the document, with cents below a hundred. */
export const money = (usd: number): string => {
  if (usd < 0) return `−$${money(-usd).slice(1)}`
  return `$${usd < 100 ? usd.toFixed(2) : Math.round(usd).toLocaleString('en')}`
}

/** Returns a Markdown table. All columns except the first are right-aligned figures. */
export function rows(head: string[], body: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...body.map(line)].join(
    '\n',
  )
}
