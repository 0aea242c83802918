import type { ComponentChildren } from 'preact'
import './table.css'

export interface Column<Row> {
  name: string
  /** Figures stand under each other. */
  figures?: boolean
  cell(row: Row): ComponentChildren
}

interface TableProps<Row> {
  /** What is in it; stands above it only for who does not see the page. */
  caption: string
  columns: readonly Column<NoInfer<Row>>[]
  rows: readonly Row[]
  id(row: NoInfer<Row>): string
  /** Whether it is scrolled within its frame when it is long. */
  bounded?: boolean
}

/** Rows of one kind. Where it is wider than the page it is scrolled by itself, by the keyboard too. */
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
