import type { ComponentChildren } from 'preact'
import './table.css'

export interface Column<Row> {
  name: string
  /** Right-aligned figures. */
  figures?: boolean
  cell(row: Row): ComponentChildren
}

interface TableProps<Row> {
  /** The caption, visible only to screen readers. */
  caption: string
  columns: readonly Column<NoInfer<Row>>[]
  rows: readonly Row[]
  id(row: NoInfer<Row>): string
  /** True if a long table scrolls inside its frame. */
  bounded?: boolean
}

/** A table. If it is wider than the page, it scrolls by itself, also with the keyboard. */
export function Table<Row>({ caption, columns, rows, id, bounded = false }: TableProps<Row>) {
  const [first, ...rest] = columns
  if (first === undefined) return null
  return (
    <div class="table" data-bounded={bounded} role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, figures }) => (
              <th key={name} scope="col" data-figures={figures}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={id(row)}>
              <th scope="row">{first.cell(row)}</th>
              {rest.map(({ name, figures, cell }) => (
                <td key={name} data-figures={figures}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
