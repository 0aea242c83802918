import type TurndownService from 'turndown'
import { asElement, type DomElement, isElement } from './dom.ts'

interface Table {
  columns: number
  firstRow: DomElement
  hasHead: boolean
}

/** The maximum number of columns of one cell. */
const maxSpanned = 20

/**
 * Adds rules for tables in GitHub's Markdown. A layout table (with a nested table or a single column) is not a table:
 * its cells become paragraphs.
 */
export function addTables(service: TurndownService): void {
  const known = new WeakMap<DomElement, { table: Table | undefined }>()
  const tableAround = (node: DomElement): Table | undefined => {
    const element = node.closest('table')
    if (element === null) return undefined
    const found = known.get(element) ?? { table: readTable(element) }
    known.set(element, found)
    return found.table
  }
  service.addRule('cell', {
    filter: ['td', 'th'],
    replacement(content, node) {
      const cell = asElement(node)
      if (tableAround(cell) === undefined) return `\n\n${content}\n\n`
      const text = content.trim().replaceAll(/\s*\n\s*/g, ' ')
      return ` ${text.replaceAll('|', '\\|')} |${' |'.repeat(spanOf(cell) - 1)}`
    },
  })
  service.addRule('row', {
    filter: 'tr',
    replacement(content, node) {
      const row = asElement(node)
      const table = tableAround(row)
      if (table === undefined) return content
      const line = `\n|${content.trimEnd()}\n`
      if (row !== table.firstRow) return line
      const border = `|${' --- |'.repeat(table.columns)}\n`
      if (!table.hasHead) return `\n|${'  |'.repeat(table.columns)}\n${border}${line.trimStart()}`
      return line + border
    },
  })
  service.addRule('section', {
    filter: ['thead', 'tbody', 'tfoot'],
    replacement: (content) => content,
  })
  service.addRule('caption', {
    filter: 'caption',
    replacement: (content) => `\n\n${content.trim()}\n\n`,
  })
  service.addRule('table', {
    filter: 'table',
    replacement: (content) => `\n\n${content}\n\n`,
  })
}

function readTable(element: DomElement): Table | undefined {
  if (element.querySelector('table') !== null) return undefined
  const rows = [...element.getElementsByTagName('tr')]
  const widths = rows.map((row) => cellsOf(row).reduce((sum, cell) => sum + spanOf(cell), 0))
  const columns = widths.reduce((one, other) => Math.max(one, other), 0)
  const [firstRow] = rows
  if (firstRow === undefined || columns < 2) return undefined
  const hasHead =
    firstRow.parentNode?.nodeName === 'THEAD' ||
    cellsOf(firstRow).every(({ nodeName }) => nodeName === 'TH')
  return { columns, firstRow, hasHead }
}

function cellsOf(row: DomElement): DomElement[] {
  return [...row.children].filter((cell) => isElement(cell) && /^T[DH]$/.test(cell.nodeName))
}

function spanOf(cell: DomElement): number {
  const span = Number.parseInt(cell.getAttribute('colspan') ?? '', 10)
  return span > 1 ? Math.min(span, maxSpanned) : 1
}
